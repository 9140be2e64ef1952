/**
 * What a lead may say besides the fields of the specification. A partner chooses which of these the form asks for (`ask`
 * in the partners file). Visitors may leave all of them empty.
 */
import type {Field, FieldTable} from './fields.ts';

const manyLines = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;

/**
 * In the order of the form. The choices are not here, because the form gets them in words, with the partner's
 * configuration, and so needs no list of states.
 */
export const askedFields = {
  call_time: {kind: 'choice', required: false},
  state: {kind: 'choice', required: false, autocomplete: 'address-level1'},
  time_frame: {kind: 'choice', required: false},
  notes: {kind: 'text', required: false, max: 2_000, pattern: manyLines},
} as const satisfies FieldTable;
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
} as const satisfies FieldTable;

/** When the visitor wants to be called. `text_first`: send a text message before. */
export const callTimes = ['morning', 'afternoon', 'evening', 'text_first'] as const;
export type CallTime = (typeof callTimes)[number];

/** Only the form sends it: the specification does not have it, so it is written into the notes for a `lead-api`. */
export const callTimeField = {...askedFields.call_time, choices: callTimes} as const satisfies Field;
