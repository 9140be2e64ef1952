/**
 * Where the visitor came from: a campaign, a click on an ad, or the page before. Each page with this script looks for
 * that. What the first page of a visit finds is kept as a whole, so that a campaign is always sent together with the
 * page that it led to.
 */
import {campaignParameter, type Attribution} from '../../contract/embed.ts';
import {pageAddress} from '../../contract/page-address.ts';
import {URL} from './builtins.ts';
import {safeDocument} from './safe-document.ts';
import {keep, recall} from './session.ts';

/** The name that version 1.0.0 uses, too: the pages of a visit may have different versions of this script. */
const storageName = 'lead-prequal-touch';

/**
 * @param address the address of this page
 * @returns where the visitor came from. If the browser asks not to track the visitor, nothing is returned or kept.
 */
export function attribution(address = location.href): Attribution | undefined {
  const {globalPrivacyControl, doNotTrack} = navigator as Navigator & {globalPrivacyControl?: boolean};
  if (globalPrivacyControl || doNotTrack === '1') return void keep(storageName);

  const kept = recall(storageName) as Attribution | undefined;
  const found = [...new URL(address).searchParams].filter(([key]) => campaignParameter.test(key));
  const referrer = pageAddress(safeDocument.referrer);
  if (referrer && !referrer.startsWith(`${location.origin}/`)) found.push(['referrer', referrer]);
  // If all that is known is the landing page, a later page with a campaign or a referrer replaces it.
  if (kept?.landing_page && (!found.length || Object.keys(kept).length > 1)) return kept;
  const source = {...Object.fromEntries(found), landing_page: pageAddress(address)};
  keep(storageName, source);
  return source;
}
