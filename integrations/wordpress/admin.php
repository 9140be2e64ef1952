<?php
/** What administrators and authors see: the page of settings, the notice of old versions, and the data of the editor. */

namespace LeadPrequal;

if (!defined('ABSPATH')) exit;

const PAGE = 'lead-prequal';
const RENEW = 'lead_prequal_renew';

add_action('admin_init', function () {
    register_setting(PAGE, SETTINGS, ['type' => 'object', 'sanitize_callback' => 'LeadPrequal\read_settings']);
});

/** @param mixed $given what the page of settings sent */
function read_settings($given): array {
    $given = array_map(fn($text) => is_string($text) ? trim($text) : '', (array) $given);
    $server = untrailingslashit($given['server'] ?? '');
    $partner = $given['partner'] ?? '';
    $protocol = is_local() ? 'https?' : 'https';
    $wrong = [];
    if ($server !== '' && !preg_match("#^$protocol://[\w.-]+(:\d{1,5})?(/[\w./~-]+)?$#iD", $server)) {
        $wrong['server'] = __('The address of the server must look like https://leads.example.com.', 'lead-prequal');
    }
    if (!preg_match('/^[A-Za-z\d-]{0,64}$/D', $partner)) {
        $wrong['partner'] = __('The partner key must be letters, digits and dashes.', 'lead-prequal');
    }
    // WordPress calls this twice when the option is new.
    if (!get_settings_errors(SETTINGS)) {
        foreach ($wrong as $name => $message) add_settings_error(SETTINGS, $name, $message);
    }
    delete_transient(LIST_CACHE);
    // What is wrong stays as it was.
    return array_merge(compact('server', 'partner'), array_intersect_key(settings(), $wrong));
}

add_action('admin_menu', function () {
    add_options_page(__('Lead Prequal', 'lead-prequal'), __('Lead Prequal', 'lead-prequal'), 'manage_options', PAGE, 'LeadPrequal\settings_page');
});

add_filter('plugin_action_links_lead-prequal/lead-prequal.php', function (array $links): array {
    $settings = sprintf('<a href="%s">%s</a>', esc_url(settings_address()), esc_html__('Settings', 'lead-prequal'));
    return array_merge([$settings], $links);
});

function settings_address(): string {
    return admin_url('options-general.php?page=' . PAGE);
}

function settings_page(): void {
    $fields = [
        'server' => [__('Address of the lead server', 'lead-prequal'), 'https://leads.example.com', 'url'],
        'partner' => [__('Your partner key', 'lead-prequal'), 'acme', 'text'],
    ];
    $saved = settings();
    $trouble = trouble();
    ?>
    <div class="wrap">
        <h1><?php esc_html_e('Lead Prequal', 'lead-prequal'); ?></h1>
        <p><?php esc_html_e('The people who run the lead server tell you both.', 'lead-prequal'); ?></p>
        <form method="post" action="options.php">
            <?php settings_fields(PAGE); ?>
            <table class="form-table" role="presentation">
                <?php foreach ($fields as $name => [$label, $example, $type]) : ?>
                    <tr>
                        <th scope="row"><label for="lead-prequal-<?php echo esc_attr($name); ?>"><?php echo esc_html($label); ?></label></th>
                        <td><input class="regular-text code" id="lead-prequal-<?php echo esc_attr($name); ?>" name="<?php echo esc_attr(SETTINGS . "[$name]"); ?>" type="<?php echo esc_attr($type); ?>" value="<?php echo esc_attr($saved[$name]); ?>" placeholder="<?php echo esc_attr($example); ?>" required></td>
                    </tr>
                <?php endforeach; ?>
            </table>
            <?php submit_button(); ?>
        </form>
        <?php if ($trouble !== null) : ?>
            <div class="notice notice-warning inline"><p><?php echo esc_html($trouble); ?></p></div>
        <?php else : ?>
            <div class="notice notice-success inline"><p>
                <?php
                /* translators: %s: a version number */
                echo esc_html(sprintf(__('Everything is ready. New forms get version %s.', 'lead-prequal'), versions()['version']));
                ?>
            </p></div>
            <p><?php esc_html_e('Edit a page, add the block "Funding form" where it should appear, and publish. In the classic editor, write [lead_prequal].', 'lead-prequal'); ?></p>
        <?php endif; ?>
    </div>
    <?php
}

/** @return \WP_Post[] the posts whose forms have one of these versions, and which the user may edit */
function posts_with(array $versions): array {
    $posts = get_posts([
        'post_type' => get_post_types(),
        'post_status' => ['publish', 'future', 'private', 'draft', 'pending'],
        'numberposts' => 200,
        'meta_query' => [['key' => PINNED_META, 'value' => $versions, 'compare' => 'IN']],
    ]);
    return array_filter($posts, fn(\WP_Post $post): bool => current_user_can('edit_post', $post->ID));
}

add_action('admin_notices', function () {
    if (!current_user_can('edit_posts')) return;
    $list = versions();
    foreach ($list['advisories'] ?? [] as $version => $advisory) {
        $posts = posts_with([$version]);
        if (!$posts) continue;
        $links = array_map(fn(\WP_Post $post): string => sprintf('<a href="%s">%s</a>', esc_url((string) get_edit_post_link($post)), esc_html(get_the_title($post) ?: "#$post->ID")), $posts);
        /* translators: 1: a version number, 2: the reason */
        $withdrawn = __('Version %1$s of the funding form is withdrawn, and visitors see a link in its place: %2$s', 'lead-prequal');
        /* translators: 1: a version number, 2: what is wrong */
        $security = __('Version %1$s of the funding form has a security fault: %2$s', 'lead-prequal');
        $what = isset($advisory['withdrawn']) ? sprintf($withdrawn, $version, $advisory['withdrawn']) : sprintf($security, $version, $advisory['security']);
        ?>
        <div class="notice notice-error">
            <p><strong><?php echo esc_html($what); ?></strong></p>
            <p><?php
                /* translators: %s: links to posts */
                echo wp_kses_post(sprintf(__('It is on: %s', 'lead-prequal'), implode(', ', $links)));
            ?></p>
            <form method="post" action="<?php echo esc_url(admin_url('admin-post.php')); ?>">
                <input type="hidden" name="action" value="<?php echo esc_attr(RENEW); ?>">
                <?php wp_nonce_field(RENEW); ?>
                <p><button class="button button-primary"><?php
                    /* translators: %s: a version number */
                    echo esc_html(sprintf(__('Use version %s there', 'lead-prequal'), $list['version']));
                ?></button></p>
            </form>
        </div>
        <?php
    }
});

/** A fault of the plugin itself. The plugin cannot be replaced by itself, so whoever may do it is told how. */
add_action('admin_notices', function () {
    $fault = current_user_can('update_plugins') ? versions()['plugin']['security'] ?? '' : '';
    if ($fault === '') return;
    /* translators: 1: a version number, 2: what is wrong */
    $what = sprintf(__('Version %1$s of the plugin Lead Prequal has a security fault: %2$s', 'lead-prequal'), PLUGIN_VERSION, $fault);
    $zip = settings()['server'] . '/embed/v1/lead-prequal-wordpress.zip';
    ?>
    <div class="notice notice-error">
        <p><strong><?php echo esc_html($what); ?></strong></p>
        <p><?php
            /* translators: %s: a link to the zip */
            echo wp_kses_post(sprintf(__('Download %s, and upload it in Plugins › Add New › Upload Plugin.', 'lead-prequal'), sprintf('<a href="%1$s">%1$s</a>', esc_url($zip))));
        ?></p>
    </div>
    <?php
});

/** Writes the newest version into the posts that the user may edit, and changes nothing else in them. */
add_action('admin_post_' . RENEW, function () {
    check_admin_referer(RENEW);
    global $wpdb;
    foreach (posts_with(array_keys(versions()['advisories'] ?? [])) as $post) {
        // Saving it as this user could remove HTML that the user may not write, but the author of the post may.
        $post->post_content = renew_pins($post->post_content);
        $wpdb->update($wpdb->posts, ['post_content' => $post->post_content], ['ID' => $post->ID]);
        clean_post_cache($post->ID);
        do_action('save_post', $post->ID, $post, true);
    }
    wp_safe_redirect(wp_get_referer() ?: admin_url());
    exit;
});

add_action('enqueue_block_editor_assets', function () {
    ['partner' => $partner] = settings();
    $data = [
        'server' => settings()['server'],
        'partner' => $partner,
        'address' => apply_address(),
        'lang' => get_bloginfo('language'),
        'list' => $partner === '' ? null : versions(),
        'accent' => get_option(ACCENT, ''),
        'settings' => current_user_can('manage_options') ? settings_address() : null,
    ];
    $words = ['' => ['domain' => 'lead-prequal']];
    foreach (get_translations_for_domain('lead-prequal')->entries as $entry) {
        if (!$entry->context) $words[$entry->singular] = $entry->translations;
    }
    wp_add_inline_script(
        'lead-prequal-editor',
        'window.leadPrequal = ' . wp_json_encode($data) . ";\nwp.i18n.setLocaleData(" . wp_json_encode($words) . ", 'lead-prequal');",
        'before'
    );
});
