<?php
/**
 * What WordPress makes of the content of a page: reads it from the standard input, and prints what visitors get.
 * WordPress itself is not started, because it would want a database. Its functions run as they stand in its folder.
 *
 * Usage: php wordpress.php <WordPress folder> <editor or author>
 */
[, $folder, $role] = $argv;
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

$content = stream_get_contents(STDIN);
// Saving: the editor's role keeps all HTML, an author's content goes through KSES (`unfiltered_html`).
if ($role === 'author') $content = wp_unslash(wp_filter_post_kses(wp_slash($content)));
// Showing: the filters of `the_content` that wp-includes/default-filters.php adds and that look at markup.
add_filter('the_content', 'do_blocks', 9);
add_filter('the_content', 'wptexturize');
add_filter('the_content', 'wpautop');
add_filter('the_content', 'shortcode_unautop');
add_filter('the_content', 'do_shortcode', 11);
echo apply_filters('the_content', $content);
