/**
 * The modules of which the page needs only one copy, because they keep a state or are large. Later files use the copy in
 * the first file; of any other module that they import they get a copy of their own. The paths are relative to this file.
 */
export const sharedModules = [
  'lit',
  // Lit's own modules, such as directives, import it by this name.
  'lit-html',
  './later-files.ts',
  '../../contract/fields.ts',
  '../../contract/page-address.ts',
  '../../form/pages.ts',
  '../../form/words/fill.ts',
  '../fields/alert-view.ts',
  '../fields/text-field.ts',
  '../page/attribution.ts',
  '../page/double-press.ts',
  '../page/events.ts',
  '../page/safe-document.ts',
  '../page/session.ts',
  '../page/trusted-types.ts',
];

/**
 * What later files use of these modules, in a list. The build replaces this function (build/later-files.ts). Modules that
 * are not built import what they need themselves.
 */
export const shared = (): readonly unknown[] => [];
