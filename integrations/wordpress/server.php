<?php
/** The settings, and what the lead server says. Only pages of the administration ask it, never a page that visitors see. */

namespace LeadPrequal;

if (!defined('ABSPATH')) exit;

/** The option with the settings: the address of the server, and the key of the partner. */
const SETTINGS = 'lead_prequal';
/** The version of this plugin. The build writes it. */
const PLUGIN_VERSION = '0.0.0';
/** The transient with what the server said last. */
const LIST_CACHE = 'lead_prequal_versions';
/** The option with the partner's colour, as the server said last. Pages need it for longer than the transient lasts. */
const ACCENT = 'lead_prequal_accent';

const VERSION_PATTERN = '\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[A-Za-z\d.-]{1,40})?';
const INTEGRITY_PATTERN = 'sha384-[A-Za-z0-9+\/]{64}';
/** A length in CSS, such as clamp(28em, (40em - 100vw) * 99, 38em). Nothing in it can end a declaration or an attribute. */
const HEIGHT_PATTERN = '[\w\s.,()*+-]{1,100}';

/** @return array{server: string, partner: string} empty texts if nothing is set */
function settings(): array {
    return wp_parse_args(get_option(SETTINGS, []), ['server' => '', 'partner' => '']);
}

/** On a developer's own machine, the server may be on the same machine, and without https. */
function is_local(): bool {
    return in_array(wp_get_environment_type(), ['local', 'development'], true);
}

/** @return array|\WP_Error the response. A server that is away costs three seconds at most. */
function ask(string $path, array $headers = []) {
    // Refuses addresses within the network of this website, because in a network of sites not every administrator may
    // look into it.
    $get = is_local() ? 'wp_remote_get' : 'wp_safe_remote_get';
    return $get(settings()['server'] . $path, ['timeout' => 3, 'redirection' => 0, 'limit_response_size' => 200000, 'headers' => $headers]);
}

/**
 * What the server says about the versions of the form, five minutes old at most. Null if it cannot be reached, or does not
 * answer as a lead server does.
 *
 * @return null|array{version: string, integrity: string, heights: array<string, string>, advisories: array<string, array>, plugin: array}
 */
function versions(): ?array {
    if (settings()['server'] === '') return null;
    $cached = get_transient(LIST_CACHE);
    if (!is_array($cached)) {
        $cached = ['list' => read_versions(ask('/embed/versions.json'))];
        // A server that is away is not asked again at once either.
        set_transient(LIST_CACHE, $cached, 5 * MINUTE_IN_SECONDS);
        $colors = $cached['list'] ? configuration()['colors'] ?? null : null;
        if (is_array($colors)) update_option(ACCENT, matching('#[\da-fA-F]{6}', $colors['accent'] ?? null));
    }
    return $cached['list'];
}

/** What the server says to a form on this website: the configuration of the partner, or a problem. */
function configuration(): array {
    return (array) json_decode(wp_remote_retrieve_body(ask('/embed/v1/config?partner=' . rawurlencode(settings()['partner']), ['Origin' => origin()])), true);
}

/** This website, as browsers name it to the server. */
function origin(): string {
    return preg_replace('#^(https?://[^/]+).*$#i', '$1', home_url());
}

/** @param array|\WP_Error $response */
function read_versions($response): ?array {
    if (wp_remote_retrieve_response_code($response) !== 200) return null;
    $said = json_decode(wp_remote_retrieve_body($response), true);
    $listed = listed($said['versions'] ?? null);
    $version = matching(VERSION_PATTERN, $said['newest'] ?? null);
    $integrity = matching(INTEGRITY_PATTERN, $listed[$version]['integrity']['lead-prequal-form.classic.js'] ?? null);
    $heights = [];
    foreach (['steps', 'contact-first', 'standard', 'single'] as $screen) {
        $heights[$screen] = matching(HEIGHT_PATTERN, $said['heights'][$screen] ?? null);
    }
    if ($version === '' || $integrity === '' || in_array('', $heights, true)) return null;
    $advisories = array_filter(array_map('LeadPrequal\advisory', $listed));
    $plugin = advisory(listed($said['plugins'] ?? null)[PLUGIN_VERSION] ?? []);
    return compact('version', 'integrity', 'heights', 'advisories', 'plugin');
}

/** The text if all of it matches, else an empty one. @param mixed $text */
function matching(string $pattern, $text): string {
    return is_string($text) && preg_match("/^$pattern\$/D", $text) ? $text : '';
}

/**
 * The entries of a list by their versions. An entry that is none is left out.
 *
 * @param mixed $list
 */
function listed($list): array {
    $entries = array_filter((array) $list, fn($entry): bool => matching(VERSION_PATTERN, $entry['version'] ?? null) !== '');
    return array_column($entries, null, 'version');
}

/** What is known against a version of the form or of the plugin, as a sentence. Empty if nothing is. */
function advisory(array $version): array {
    $withdrawn = is_string($version['withdrawn'] ?? null) ? sanitize_text_field($version['withdrawn']) : '';
    $security = is_string($version['security'] ?? null) ? sanitize_text_field($version['security']) : '';
    return array_filter(compact('withdrawn', 'security'));
}

/** @return null|string what keeps the form from working on this website, for the page of settings */
function trouble(): ?string {
    ['server' => $server, 'partner' => $partner] = settings();
    if ($server === '' || $partner === '') return __('Fill in both fields.', 'lead-prequal');
    if (!versions()) {
        /* translators: %s: an address */
        return sprintf(__('No lead server answers at %s, or it has no form for this plugin. Check the address.', 'lead-prequal'), $server);
    }
    $problem = configuration()['type'] ?? null;
    if (matching('.*unknown-partner', $problem)) {
        return __('The server does not know this partner key. Check it.', 'lead-prequal');
    }
    if (matching('.*origin-not-allowed', $problem)) {
        /* translators: %s: an address */
        return sprintf(__('The form does not work on this website yet. Ask the people who run the server to put %s on your list.', 'lead-prequal'), origin());
    }
    return null;
}
