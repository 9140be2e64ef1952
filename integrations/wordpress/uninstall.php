<?php
/** Takes away what the plugin has stored, on each site of a network. Posts keep their links to the apply page. */

if (!defined('WP_UNINSTALL_PLUGIN')) exit;

require_once __DIR__ . '/shortcodes.php';

function lead_prequal_uninstall_site(): void {
    global $wpdb;
    delete_option('lead_prequal');
    delete_option('lead_prequal_accent');
    delete_transient('lead_prequal_versions');
    delete_post_meta_by_key('_lead_prequal_version');
    // Without the plugin, visitors would read the brackets of the shortcode.
    $like = '%' . $wpdb->esc_like('[lead_prequal') . '%';
    foreach ($wpdb->get_results($wpdb->prepare("SELECT ID, post_content FROM $wpdb->posts WHERE post_content LIKE %s", $like)) as $post) {
        $content = LeadPrequal\without_shortcodes($post->post_content);
        if ($content === $post->post_content) continue;
        $wpdb->update($wpdb->posts, ['post_content' => $content], ['ID' => $post->ID]);
        clean_post_cache((int) $post->ID);
    }
}

if (is_multisite()) {
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $lead_prequal_site) {
        switch_to_blog($lead_prequal_site);
        lead_prequal_uninstall_site();
        restore_current_blog();
    }
} else {
    lead_prequal_uninstall_site();
}
