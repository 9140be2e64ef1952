<?php
/**
 * What WordPress makes of the content of a page, and of the settings of a theme. WordPress itself is not started, because
 * it would want a database. Its functions run as they stand in its folder.
 *
 * Usage: php without-database.php <WordPress folder> content <editor or author>
 *        reads the content from the standard input, and prints what visitors get
 *        php without-database.php <WordPress folder> styles <address of the theme's folder> <its variation, or "">
 *        prints the style sheet of the block theme Twenty Twenty-Three
 */
[, $folder, $wanted, $option] = $argv;
define('ABSPATH', "$folder/");
define('WPINC', 'wp-includes');
foreach (['plugin', 'load', 'functions', 'compat', 'kses', 'formatting', 'shortcodes', 'pomo/translations', 'l10n', 'media', 'blocks',
    'class-wp-block-parser', 'class-wp-block-type', 'class-wp-block-type-registry', 'class-wp-block-supports',
    'class-wp-block-list', 'class-wp-block'] as $file) {
    require ABSPATH . WPINC . "/$file.php";
}

// Options are in the database. None of them matters here.
add_filter('pre_option', fn() => '');
function get_post() { return null; }

if ($wanted === 'content') {
    $content = stream_get_contents(STDIN);
    // Saving: the editor's role keeps all HTML, an author's content goes through KSES (`unfiltered_html`).
    if ($option === 'author') $content = wp_unslash(wp_filter_post_kses(wp_slash($content)));
    // Showing: the filters of `the_content` that wp-includes/default-filters.php adds and that look at markup.
    add_filter('the_content', 'do_blocks', 9);
    add_filter('the_content', 'wptexturize');
    add_filter('the_content', 'wpautop');
    add_filter('the_content', 'shortcode_unautop');
    add_filter('the_content', 'do_shortcode', 11);
    echo apply_filters('the_content', $content);
    exit;
}

$engine = 'style-engine/class-wp-style-engine';
foreach (['style-engine', $engine, "$engine-css-declarations", "$engine-css-rule", "$engine-processor", 'theme',
    'block-supports/typography', 'class-wp-theme-json-schema', 'class-wp-theme-json'] as $file) {
    require ABSPATH . WPINC . "/$file.php";
}
// Where WordPress asks for these settings, it would look for the changes of a user in the database.
function wp_get_global_settings($path) {
    global $styles;
    return _wp_array_get($styles->get_settings(), $path);
}
$read = fn($file) => json_decode(file_get_contents(ABSPATH . $file), true);
foreach (glob(ABSPATH . WPINC . '/blocks/*/block.json') as $file) {
    $block = json_decode(file_get_contents($file), true);
    register_block_type($block['name'], ['supports' => $block['supports'] ?? null]);
}
$theme = 'wp-content/themes/twentytwentythree';
$styles = new WP_Theme_JSON($read(WPINC . '/theme.json'), 'default');
$styles->merge(new WP_Theme_JSON($read("$theme/theme.json"), 'theme'));
if ($argv[4] !== '') $styles->merge(new WP_Theme_JSON($read("$theme/styles/$argv[4].json"), 'custom'));

echo file_get_contents(ABSPATH . WPINC . '/css/dist/block-library/style.min.css'), "\n";
// The script that prints the fonts wants a whole WordPress.
foreach ($read("$theme/theme.json")['settings']['typography']['fontFamilies'] as $family) {
    foreach ($family['fontFace'] ?? [] as ['fontFamily' => $name, 'fontStyle' => $style, 'fontWeight' => $weight, 'src' => [$file]]) {
        $address = str_replace('file:.', $option, $file);
        echo "@font-face { font-family: '$name'; font-style: $style; font-weight: $weight; src: url('$address') }\n";
    }
}
echo $styles->get_stylesheet();
