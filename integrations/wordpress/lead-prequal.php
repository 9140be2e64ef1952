<?php
/**
 * Plugin Name: Lead Prequal
 * Description: Puts the funding form of your lead server on your pages, as a block or a shortcode that authors may use, too.
 * Version: 0.0.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * Author: lead-prequal
 * License: MIT
 * License URI: https://opensource.org/licenses/MIT
 * Text Domain: lead-prequal
 * Domain Path: /languages
 * Update URI: false
 */

// "Update URI: false" keeps WordPress from replacing this plugin by another one that has its name in the plugin directory.

namespace LeadPrequal;

if (!defined('ABSPATH')) exit;

require __DIR__ . '/server.php';
require_once __DIR__ . '/shortcodes.php';
require __DIR__ . '/form.php';
if (is_admin()) require __DIR__ . '/admin.php';

add_action('init', function () {
    // All kinds of Spanish get the same words. Language packs, if there are any, are loaded by WordPress itself.
    if (preg_match('/^es(_|$)/', determine_locale())) {
        load_textdomain('lead-prequal', __DIR__ . '/languages/lead-prequal-es.mo');
    }

    $needs = ['wp-block-editor', 'wp-blocks', 'wp-components', 'wp-element', 'wp-i18n'];
    $version = (string) filemtime(__DIR__ . '/editor.js');
    wp_register_script('lead-prequal-editor', plugins_url('editor.js', __FILE__), $needs, $version, true);
    register_block_type(__DIR__, [
        'render_callback' => fn(array $attributes, string $saved): string => form($saved, choices($attributes), get_block_wrapper_attributes()),
    ]);
    add_shortcode(SHORTCODE, fn($attributes, $saved = ''): string => form((string) $saved, choices((array) $attributes)));
});
