<?php
/**
 * Makes the database and installs WordPress into it, with a user for each role.
 *
 * Usage: php install.php <folder> <host> <socket> <database> <theme> <password> <site, network or second site>
 */
// WordPress has a global variable "$theme".
[, $folder, $host, $socket, $database, $look, $password, $what] = $argv;
if ($what !== 'second site') {
    define('WP_INSTALLING', true);
    (new mysqli('localhost', 'root', '', '', 0, $socket))->query("CREATE DATABASE $database CHARACTER SET utf8mb4");
}
$_SERVER['HTTP_HOST'] = $host;
$_SERVER['REMOTE_ADDR'] = '127.0.0.1';
$_SERVER['REQUEST_URI'] = '/';
require "$folder/wp-load.php";
require ABSPATH . 'wp-admin/includes/upgrade.php';

function add_users(string $password): void {
    foreach (['editor', 'author'] as $role) {
        $id = username_exists($role) ?: wp_insert_user(['user_login' => $role, 'user_pass' => $password, 'user_email' => "$role@partner.example"]);
        if (is_multisite()) add_user_to_blog(get_current_blog_id(), $id, $role);
        else (new WP_User($id))->set_role($role);
        // The editor's tour would cover it.
        update_user_meta($id, 'wp_persisted_preferences', ['core/edit-post' => ['welcomeGuide' => false], '_modified' => '2026-01-01T00:00:00Z']);
    }
}

if ($what === 'second site') {
    // WordPress would leave the colon of the port out.
    add_filter('wp_normalize_site_data', fn(array $data): array => ['domain' => $host] + $data);
    $site = wp_insert_site(['domain' => $host, 'path' => '/second/', 'network_id' => 1, 'title' => 'Second', 'user_id' => 1]);
    switch_to_blog($site);
    switch_theme($look);
    add_users($password);
    restore_current_blog();
    exit;
}
// Without this, WordPress would write to the administrator.
function wp_mail() { return true; }
wp_install('Partner', 'admin', 'admin@partner.example', false, '', $password);
switch_theme($look);
add_users($password);
if ($what === 'network') {
    global $wpdb;
    foreach ($wpdb->tables('ms_global') as $table => $prefixed) $wpdb->$table = $prefixed;
    require ABSPATH . 'wp-admin/includes/network.php';
    define('WP_NETWORK', true);
    install_network();
    populate_network(1, $host, 'admin@partner.example', 'Network', '/', false);
}
