<?php
/** For PHP's built-in web server: what the rewrite rules of WordPress do elsewhere. */
$path = preg_replace('#^/second(?=/|$)#', '', parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$file = $_SERVER['DOCUMENT_ROOT'] . $path;
if (is_dir($file)) $file = rtrim($file, '/') . '/index.php';
if (!is_file($file)) $file = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
if (substr($file, -4) !== '.php') {
    $types = ['css' => 'text/css', 'js' => 'text/javascript', 'svg' => 'image/svg+xml', 'json' => 'application/json'];
    header('Content-Type: ' . ($types[pathinfo($file, PATHINFO_EXTENSION)] ?? 'application/octet-stream'));
    readfile($file);
    return;
}
$_SERVER['SCRIPT_FILENAME'] = $file;
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = substr($file, strlen($_SERVER['DOCUMENT_ROOT']));
chdir(dirname($file));
require $file;
