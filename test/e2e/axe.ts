/** What axe finds on a page, for people with disabilities. */
import {readFileSync} from 'node:fs';
import type {Page} from 'playwright-core';

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * axe does not run as a script of the page, which the policy of the page may forbid.
 * @param rules if not all of them
 */
export const axeFaults = (page: Page, within = 'html', rules?: readonly string[]) =>
  page.evaluate<string[]>(
    `${axe};axe.run('${within}', ${JSON.stringify(rules ? {runOnly: rules} : {})}).then(({violations}) =>
      violations.map(({id, nodes}) => id + ' ' + nodes[0].html + ' ' + nodes[0].failureSummary))`,
  );
