/**
 * Where the visitor came from. It is looked at on every page of a visit that has this script, and the first page
 * that tells something is kept whole: a campaign always stands with the page it led to.
 */
import type {Attribution} from '../../contract/embed.ts';
import {pageAddress} from '../../contract/page-address.ts';
import {queryParameters} from './query-parameters.ts';
import {safeDocument} from './safe-document.ts';
import {keep, recall} from './session.ts';

const name = 'lead-prequal-touch';

/** What looks like a campaign's or a click's; what is sent of it, the contract says. */
const telling = /^utm_|clk?id$|braid$|fat_id$/;

/**
 * What the first page told; nothing, and nothing is kept, where the browser asks that nobody be followed.
 * @param address of this page
 */
export function attribution(address = location.href): Attribution | undefined {
  const {globalPrivacyControl, doNotTrack} = navigator as Navigator & {globalPrivacyControl?: boolean};
  if (globalPrivacyControl || doNotTrack === '1') return void keep(name);

  const kept = recall(name) as Attribution | undefined;
  const here = Object.entries(queryParameters(address)).filter(([key]) => telling.test(key));
  const referrer = pageAddress(safeDocument.referrer);
  if (referrer && !referrer.startsWith(`${location.origin}/`)) here.push(['referrer', referrer]);
  // A landing page alone tells little: it gives way to a later page that tells more.
  if (kept?.landing_page && (!here.length || Object.keys(kept).length > 1)) return kept;
  const touch = {...Object.fromEntries(here), landing_page: pageAddress(address)};
  keep(name, touch);
  return touch;
}
