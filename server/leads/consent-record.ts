/**
 * The record of a consent as it is shown and signed. What this server saw and what somebody claims stand apart: a browser
 * can be made to say anything, and so can a caller.
 */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {inPlainWords} from '../../form/consent-text.ts';
import type {Consent, FormAtConsent} from './stored-lead.ts';

const time = z.iso.datetime();

/** A property that is missing where it is not known, or does not apply. */
export const maybe = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.exactOptional().describe(description);

/** What else is known of a consent, mostly because a browser or a caller says so, in the record and in events. */
export const saidShape = {
  certificate_url: maybe(z.string(), 'The certificate of another company that a caller names.'),
  form_version: maybe(z.string(), 'The version of the form, as it says.'),
  button: maybe(z.string(), 'What the last button said.'),
  in_view: maybe(z.boolean(), 'Whether the whole text was in the window when the button was pressed.'),
  window_width: maybe(z.int(), 'The width of the window, in CSS pixels.'),
  slot_text: maybe(z.string(), 'What the page itself showed beside the text.'),
  verbatim: maybe(z.boolean(), 'Whether the words of the text stood there as given.'),
  given_with: maybe(
    z.string(),
    'The lead with which it was given, if an operator has corrected the number since. It is none to calls of the new number.',
  ),
};

export const consentRecord = z.object({
  lead: z.string().describe('The id of the lead.'),
  reference: z.string(),
  partner: z.string().nullable().describe('Null if the lead came over the API.'),
  text: z.object({
    words: z.string().nullable().describe('Word for word, as configured. Null if they were not kept.'),
    version: z.string(),
    language: z.string().nullable(),
    sha256: z.string().describe('Of the text as the form got it, in hex.'),
  }),
  observed: z
    .object({
      received_at: time,
      ip: z.string().exactOptional(),
      origin: maybe(z.string().nullable(), 'The header Origin.'),
      user_agent: z.string().nullable().exactOptional(),
      script: maybe(z.literal('none'), 'The form was shown and sent without a script.'),
      source: maybe(z.literal('caller'), 'A caller of the API brought the consent.'),
    })
    .describe('What the server saw.'),
  reported: z
    .object({
      agreed: z.boolean().nullable().describe('Whether the box was ticked. Null if the text has no box.'),
      page: z.string().nullable(),
      given_at: time.exactOptional(),
      ip: z.string().exactOptional(),
      ...saidShape,
    })
    .describe('What the browser or the caller said.'),
});
export type ConsentRecord = z.infer<typeof consentRecord>;

/** What stays of a lead when it is erased and its consent is kept. */
type Of = {id: string; createdAt: number; partner: string | null};

/** @param archived the words of the text in the archive of the store, if it has them */
export function toConsentRecord(lead: Of, consent: Consent, archived: string | undefined): ConsentRecord {
  const {textVersion, textLanguage, textHash, agreed, page, origin, userAgent, script, source} = consent;
  // eslint-disable-next-line no-restricted-properties -- This is the address of a stored consent, not of a request.
  const {ip} = consent;
  return {
    lead: lead.id,
    reference: referenceOf(lead.id),
    partner: lead.partner,
    text: {
      words: consent.words ?? archived ?? null,
      version: textVersion,
      language: textLanguage ?? null,
      sha256: textHash,
    },
    observed: {
      received_at: new Date(source ? lead.createdAt : consent.givenAt).toISOString(),
      ...(source ? {source} : {ip, origin, user_agent: userAgent}),
      ...(script && {script}),
    },
    reported: {
      agreed,
      page,
      ...(source && {given_at: new Date(consent.givenAt).toISOString(), ...(ip && {ip})}),
      ...saidOfConsent(consent),
    },
  };
}

/** The values of `saidShape`. */
export const saidOfConsent = ({certificateUrl, form, givenWith}: Consent) => ({
  ...known('certificate_url', certificateUrl),
  ...known('form_version', form?.version),
  ...known('button', form?.button),
  ...known('in_view', form?.inView),
  ...known('window_width', form?.width),
  ...known('slot_text', form?.slot),
  ...known('verbatim', form?.verbatim),
  ...known('given_with', givenWith),
});

/**
 * A text for people, and what else there is to say, in sentences. What a browser says of its button stays out of the text,
 * because anything may stand in it. Without a script, the server itself wrote the button.
 */
export function readableText(
  {words, language}: {words: string | null; language: string | null | undefined},
  {script, button, verbatim}: Pick<Consent, 'script'> & Pick<FormAtConsent, 'button' | 'verbatim'>,
): {text: string | null; said: string[]} {
  const text = words !== null && language ? inPlainWords(words, (script && button) ?? '[button]') : words;
  const said = [
    button !== undefined && !script && `The browser reports that its button said: ${button}`,
    button === undefined && text?.includes('[button]') && 'What the button said is not known.',
    verbatim === false && 'The browser reports that a translator, or a script, had changed these words.',
  ];
  return {text, said: said.filter((sentence) => typeof sentence === 'string')};
}

/** A property, unless its value is not known. */
export const known = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : {[name]: value}) as {[Key in Name]?: Value};
