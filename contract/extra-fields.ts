/**
 * What a lead may say besides the fields of the specification. A partner chooses which of these the form asks for (`ask`
 * in `lead-prequal.json`). Visitors may leave all of them empty.
 */

const manyLines = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;

/**
 * In the order of the form, which `fields.ts` takes them into. The choices are not here, because the form gets them in
 * words, with the partner's configuration, and so needs no list of states.
 */
export const askedFields = {
  call_time: {kind: 'choice', required: false},
  state: {kind: 'choice', required: false, autocomplete: 'address-level1'},
  time_frame: {kind: 'choice', required: false},
  notes: {kind: 'text', required: false, max: 2_000, pattern: manyLines},
} as const;
export type AskedFieldName = keyof typeof askedFields;

export const askedNames = /* @__PURE__ */ Object.keys(askedFields) as AskedFieldName[];

const usStates =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI';
export const timeFrames = [
  "Don't Know Yet",
  'Less than 2 months',
  '2-6 months',
  '6-12 months',
  'More than 12 Months',
] as const;

/** The reference of the specification has these fields, so callers may send them, and a `lead-api` gets them. */
export const extraFields = {
  state: {
    ...askedFields.state,
    choices: /* @__PURE__ */ usStates.split(' '),
    expects: 'a two-letter US code, such as CA',
  },
  time_frame: {...askedFields.time_frame, choices: timeFrames},
  notes: askedFields.notes,
} as const;

/**
 * A choice that only the form sends. The specification does not have it, so the notes for a `lead-api` get a line of it.
 * @param inEvents what it is, for the documents of the events
 * @param inMails each choice, as the e-mails to operators say it
 */
const formOnly = <Choice extends string>(inEvents: string, inMails: Readonly<Record<Choice, string>>) => ({
  kind: 'choice' as const,
  required: false as const,
  choices: Object.keys(inMails) as Choice[],
  inEvents,
  inMails,
});

/**
 * All that events, exports, notes and e-mails need of the fields that only the form sends. A new one stands at the end,
 * because the order of fields in digests of leads and of columns in exports must not change.
 */
export const formOnlyFields = {
  call_time: /* @__PURE__ */ formOnly(
    'When the visitor wants to be called. text_first: with a text message before.',
    {
      morning: 'in the morning',
      afternoon: 'in the afternoon',
      evening: 'in the evening',
      text_first: 'send a text message first',
    },
  ),
} satisfies Record<Exclude<AskedFieldName, keyof typeof extraFields>, unknown>;
export const formOnlyNames = /* @__PURE__ */ Object.keys(formOnlyFields) as (keyof typeof formOnlyFields)[];
