<?php
/**
 * Runs the PHP of the standard input within a site, and prints what it returns as JSON.
 *
 * Usage: php run.php <folder> <host> <login name>
 */
[, $folder, $host, $login] = $argv;
$code = stream_get_contents(STDIN);
$_SERVER['HTTP_HOST'] = $host;
$_SERVER['REQUEST_URI'] = '/';
define('WP_ADMIN', true);
require "$folder/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/admin.php';
wp_set_current_user(get_user_by('login', $login)->ID);
do_action('admin_init');
echo json_encode((function () use ($code) { return eval($code); })());
