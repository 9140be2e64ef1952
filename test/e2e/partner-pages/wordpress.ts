/**
 * The style sheet that WordPress makes of the block theme Twenty Twenty-Three, whose `theme.json` holds colours, fonts and
 * styles. WordPress itself comes from Debian's packages and is not copied.
 */
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {findProgram} from '../../support/installed.ts';

/** Where Debian's packages `wordpress` and `wordpress-theme-twentytwentythree` are, or were unpacked. */
const wordpressFolder = process.env['WORDPRESS_FOLDER'] ?? '/usr/share/wordpress';
export const themeFolder = join(wordpressFolder, 'wp-content/themes/twentytwentythree');

export const hasWordPress = () =>
  existsSync(join(themeFolder, 'theme.json')) && findProgram('php') !== undefined;

/**
 * @param variation one of the theme's own, such as `pitch`, which is dark
 * @param address of the theme's folder on the page's server
 */
export const wordpressStyles = (variation: string | undefined, address: string): string =>
  execFileSync(
    'php',
    ['test/e2e/wordpress/without-database.php', wordpressFolder, 'styles', address, variation ?? ''],
    {encoding: 'utf8'},
  );
