<?php
/**
 * Changes the shortcodes in the text of a post, and nothing else in it. WordPress has filtered the post by then, and has
 * taken what stands in an attribute for text. A change there, or across a tag, could make HTML of such text.
 */

namespace LeadPrequal;

if (!defined('ABSPATH')) exit;

const SHORTCODE = 'lead_prequal';
const OPENING = '\[' . SHORTCODE . '(?![\w-])[^\[\]]*+\]';
const CLOSING = '[/' . SHORTCODE . ']';
/** A post with more of them stays as it is, because WordPress would take long to filter and to show so many links. */
const MOST_TAGS = 200;

/** In HTML, from the end of an element's name to the end of the tag. A ">" within quotes does not end it. */
const ATTRIBUTES = '(?:[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+(?:"|\z)|\'[^\']*+(?:\'|\z)|[^\t\n\f\r >"\'][^\t\n\f\r >]*+)?+)?+)*+[\t\n\f\r /]*+(?:>|\z)';
const ELEMENT = '~<!--(?:-?>|.*?(?:--!?>|\z))|<(?:[!?]|/(?![a-z>]))[^>]*+(?:>|\z)'
    . '|<(script|style|textarea|title|xmp|iframe|noembed|noframes|noscript|plaintext)(?=[\t\n\f\r />])' . ATTRIBUTES . '.*?(?:</\1(?=[\t\n\f\r />])|\z)'
    . '|</?[a-z][^\t\n\f\r />]*+' . ATTRIBUTES . '~is';

/**
 * The tags and comments of a text as browsers find them, one after the other, to be compared. WordPress's splitter is less
 * exact: it ends a tag at every ">", and takes a script for text. Null if PHP gives up on the text.
 */
function elements(string $html): ?string {
    return preg_match_all(ELEMENT, $html, $found) === false ? null : implode('', array_map(fn(string $element): string => "\0$element", $found[0]));
}

/** Whether two texts have the same elements but for some links, which each of them may have. False if PHP gives up on one. */
function same_elements(string $one, string $other, array $links = []): bool {
    $found = array_map('LeadPrequal\elements', [$one, $other]);
    [$one, $other] = str_replace(array_map('LeadPrequal\elements', array_unique($links)), '', $found);
    return !in_array(null, $found, true) && $one === $other;
}

/**
 * Cuts a text by WordPress's splitter into its elements and what is between them, and that into tags of the shortcode and
 * other text. WordPress runs no shortcode within another bracket, such as [[lead_prequal]] or
 * [gallery title="[lead_prequal]"], so such a tag is cut out together with what is before it, and counts as text.
 *
 * @return null|string[] null if PHP gives up on the text
 */
function pieces(string $content): ?array {
    $parts = wp_html_split($content);
    if (!$parts) return null;
    $pieces = [];
    foreach ($parts as $index => $part) {
        // Every second part is an element or a comment.
        $cut = $index % 2 ? [$part] : preg_split('~((?:\[(?:[\w-][^\[\]]*+)?)?' . OPENING . '|' . preg_quote(CLOSING) . ')~', $part, -1, PREG_SPLIT_DELIM_CAPTURE);
        if (!$cut) return null;
        array_push($pieces, ...$cut);
    }
    return $pieces;
}

function is_opening(string $piece): bool {
    return preg_match('~^' . OPENING . '$~D', $piece) === 1;
}

/**
 * Puts a link into each shortcode in the text, in place of the words that it holds. A shortcode that holds an element stays as
 * it is: mostly, that element is its link. So does one that stands in a link. If there are too many shortcodes, or if an
 * element of the post would change, the text stays as it is.
 *
 * @param callable(string $attributes, string $words): string $make_link from the attributes of the shortcode, and its words
 */
function fill_shortcodes(string $content, callable $make_link): string {
    $pieces = pieces($content) ?? [];
    $tags = [];
    $in_link = false;
    foreach ($pieces as $place => $piece) {
        if (preg_match('~^<(/?)a(?![^\s/>])~i', $piece, $found)) $in_link = $found[1] === '';
        elseif (!$in_link && ($piece === CLOSING || is_opening($piece))) $tags[] = $place;
    }
    if (!$tags || count($tags) > MOST_TAGS) return $content;
    $links = [];
    foreach ($tags as $number => $place) {
        if (!is_opening($pieces[$place])) continue;
        $attributes = rtrim(substr($pieces[$place], strlen('[' . SHORTCODE), -1));
        $next = $tags[$number + 1] ?? $place;
        // [lead_prequal /] ends where it begins.
        $end = $pieces[$next] === CLOSING && substr($attributes, -1) !== '/' ? $next : $place;
        $words = $end > $place ? implode('', array_slice($pieces, $place + 1, $end - $place - 1)) : '';
        if (strpos($words, '<') !== false) continue;
        $links[] = $link = $make_link($attributes, trim($words));
        for ($gone = $place; $gone <= $end; $gone++) $pieces[$gone] = '';
        $pieces[$place] = '[' . SHORTCODE . rtrim($attributes, ' /') . "]$link" . CLOSING;
    }
    $filled = implode('', $pieces);
    return same_elements($content, $filled, $links) ? $filled : $content;
}

/** A text without the tags of the shortcode. What they hold stays. If that changed an element, the text stays as it is. */
function without_shortcodes(string $content): string {
    $without = implode('', array_filter(pieces($content) ?? [$content], fn(string $piece): bool => $piece !== CLOSING && !is_opening($piece)));
    return same_elements($content, $without) ? $without : $content;
}
