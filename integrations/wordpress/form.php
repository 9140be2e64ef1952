<?php
/**
 * What stands in a post, and what visitors get of it. A post has a link to the apply page, within the block or the
 * shortcode. The link stays if the plugin is taken away. It also has the pin: the version of the form, the hash of its
 * script, and the height to keep free, as they were when the post was saved. So no page waits for the server.
 */

namespace LeadPrequal;

if (!defined('ABSPATH')) exit;

/** A post has one for each version that its forms are pinned to, up to a bound that no author needs. */
const PINNED_META = '_lead_prequal_version';
const MOST_VERSIONS = 20;

/** What authors may choose about a form: an attribute, and its value that is not the default. */
const CHOICES = ['lead-type' => 'standard', 'layout' => 'single', 'order' => 'contact-first'];

/** The choices among the attributes of a block or a shortcode. All else is left out. */
function choices(array $given): array {
    return array_intersect_assoc(CHOICES, array_filter($given, 'is_string'));
}

/** The name of the first screen, under which the server lists its height. editor.js has the same rule. */
function first_screen(array $choices): string {
    return $choices['lead-type'] ?? $choices['layout'] ?? $choices['order'] ?? 'steps';
}

function apply_address(): string {
    ['server' => $server, 'partner' => $partner] = settings();
    return "$server/apply/$partner";
}

/** The pin of a link. An author may write anything there, so only what looks like a pin counts. */
function pin(string $link): ?array {
    $of = fn(string $name, string $pattern): string => preg_match("/ data-prequal-$name=\"($pattern)\"/", $link, $found) ? $found[1] : '';
    $pin = [
        'version' => $of('version', VERSION_PATTERN),
        'integrity' => $of('integrity', INTEGRITY_PATTERN),
        'height' => $of('height', HEIGHT_PATTERN),
    ];
    return in_array('', $pin, true) ? null : $pin;
}

/**
 * @param string $saved what stands in the block or the shortcode
 * @param string $wrapper attributes of the element around the form, escaped
 */
function form(string $saved, array $choices, string $wrapper = 'class="wp-block-lead-prequal-form"'): string {
    ['server' => $server, 'partner' => $partner] = settings();
    if ($server === '' || $partner === '') return $saved;
    $text = trim(wp_strip_all_tags($saved)) ?: __('Open the form on its own page', 'lead-prequal');
    $link = sprintf('<a href="%s">%s</a>', esc_url(apply_address()), esc_html($text));
    $pin = pin($saved);
    // Programs that read feeds run no scripts.
    if (!$pin || is_feed()) return "<p>$link</p>";

    $attributes = ['partner' => $partner] + $choices + ['draft' => ''];
    // The form links to no page without https.
    if (strpos(get_privacy_policy_url(), 'https://') === 0) $attributes['privacy-href'] = get_privacy_policy_url();
    $attributes['style'] = "display: block; min-height: $pin[height]";
    $accent = get_option(ACCENT, '');
    if ($accent !== '') $attributes['style'] .= "; --prequal-partner-accent: $accent";
    $written = '';
    foreach ($attributes as $name => $value) $written .= sprintf(' %s="%s"', $name, esc_attr($value));

    $script = wp_get_script_tag([
        // Cloudflare wants its attribute before the address.
        'data-cfasync' => 'false',
        'data-no-optimize' => '1',
        'data-no-defer' => '1',
        'data-no-minify' => '1',
        'data-noptimize' => '1',
        'data-jetpack-boost' => 'ignore',
        'nowprocket' => true,
        'nitro-exclude' => true,
        'async' => true,
        'src' => "$server/embed/$pin[version]/lead-prequal-form.classic.js",
        'integrity' => $pin['integrity'],
        'crossorigin' => 'anonymous',
    ]);
    $rules = file_get_contents(__DIR__ . '/form.css');
    return "<div $wrapper><style>$rules</style><lead-prequal-form$written><div class=\"prequal-late\">$link</div></lead-prequal-form>$script</div>";
}

/**
 * Pins what is not pinned yet: a shortcode gets its link, and a link whose version is withdrawn or has a security fault
 * gets the newest version. If the server cannot be asked, the text stays as it is.
 */
function pin_all(string $content): string {
    if (strpos($content, '[' . SHORTCODE) === false) return renew_pins($content);
    $list = versions();
    if (!$list || settings()['partner'] === '') return $content;
    return renew_pins(fill_shortcodes($content, fn(string $attributes, string $words): string => sprintf(
        '<a href="%s" data-prequal-version="%s" data-prequal-integrity="%s" data-prequal-height="%s">%s</a>',
        esc_url(apply_address()),
        $list['version'],
        $list['integrity'],
        $list['heights'][first_screen(choices((array) shortcode_parse_atts($attributes)))],
        $words === '' ? esc_html__('Open the form on its own page', 'lead-prequal') : $words
    )));
}

/** Gives a link whose version is withdrawn or has a security fault the newest version, and changes nothing else. */
function renew_pins(string $content): string {
    if (strpos($content, 'data-prequal-version=') === false) return $content;
    $list = versions();
    $parts = wp_html_split($content);
    if (!$list || !$parts) return $content;
    $written = fn(array $pin): array => [" data-prequal-version=\"$pin[version]\"", " data-prequal-integrity=\"$pin[integrity]\""];
    foreach ($parts as $index => $part) {
        $pin = strpos($part, '<a ') === 0 ? pin($part) : null;
        if ($pin && !empty($list['advisories'][$pin['version']])) $parts[$index] = str_replace($written($pin), $written($list), $part);
    }
    return implode('', $parts);
}

/**
 * WordPress has filtered the post before, unless its author may write any HTML. What the plugin makes of it is filtered
 * again, so that nothing can depend on what the filter did not see. If that changes an element, the post stays as it was.
 */
function pin_filtered(string $content): string {
    $pinned = pin_all($content);
    if ($pinned === $content || current_user_can('unfiltered_html')) return $pinned;
    $filtered = (string) wp_kses_post($pinned);
    return same_elements($pinned, $filtered) ? $filtered : $content;
}

/** Whether a post holds HTML that people write. Other types hold JSON, styles, or settings of plugins. */
function holds_html(string $type, string $content): bool {
    return ($type === 'attachment' || post_type_supports($type, 'editor')) && !is_array(json_decode($content, true));
}

add_filter('wp_insert_post_data', function (array $post): array {
    $content = wp_unslash($post['post_content']);
    // A revision is that of a post.
    $type = $post['post_type'] === 'revision' ? (string) get_post_type($post['post_parent']) : $post['post_type'];
    $pinned = holds_html($type, $content) ? pin_filtered($content) : $content;
    return $pinned === $content ? $post : array_merge($post, ['post_content' => wp_slash($pinned)]);
});

/** Notes the versions in a post, so that the notice finds the posts of a version without reading all of them. */
add_action('save_post', function (int $id, \WP_Post $post) {
    if (wp_is_post_revision($id)) return;
    delete_post_meta($id, PINNED_META);
    preg_match_all('/ data-prequal-version="(' . VERSION_PATTERN . ')"/', $post->post_content, $found);
    foreach (array_slice(array_unique($found[1] ?? []), 0, MOST_VERSIONS) as $version) add_post_meta($id, PINNED_META, $version);
}, 10, 2);
