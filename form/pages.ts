/** Which fields stand on which step. */
import {
  contactFields,
  financialFields,
  formFields,
  type ContactFieldName,
  type Field,
  type FormFieldName,
  type LeadType,
} from '../contract/fields.ts';

/**
 * The contract's rows as the form reads them: by name, without the literal types.
 * The partner's consent is no field of the lead, but it is checked, and its error found, like one.
 */
export type FieldName = FormFieldName | 'consent';
export const fieldTable: Readonly<Record<FieldName, Field>> = {
  ...formFields,
  consent: {kind: 'text', required: true},
};

export type StepName = 'contact' | 'credit' | 'funds';
export type Step = {readonly name: StepName; readonly fields: readonly FieldName[]};

export const contactNames = Object.keys(contactFields) as ContactFieldName[];
const financial = Object.keys(financialFields) as FormFieldName[];
const isMoney = (name: FormFieldName) => fieldTable[name].kind === 'money';

const steps: Readonly<Record<LeadType, readonly Step[]>> = {
  standard: [{name: 'contact', fields: [...contactNames, 'consent']}],
  prequalification: [
    {name: 'contact', fields: contactNames},
    {name: 'credit', fields: financial.filter((name) => !isMoney(name))},
    {name: 'funds', fields: [...financial.filter(isMoney), 'consent']},
  ],
};

/** What is shown at one time. */
export type Page = readonly Step[];

/** One step a page, or all of them on a single one. */
export const pagesOf = (leadType: LeadType, single: boolean): readonly Page[] =>
  single ? [steps[leadType]] : steps[leadType].map((step) => [step]);

export const fieldsOf = (page: Page = []) => page.flatMap(({fields}) => fields);

/**
 * The page asks for a lead type, the partner's configuration may forbid it. The form then asks for less, never
 * for more, than the page wanted: what is still not allowed is for the server to refuse.
 */
export function effectiveLeadType(wanted: string, allowed: readonly string[] | undefined): LeadType {
  const type = wanted === 'standard' ? 'standard' : 'prequalification';
  return allowed && !allowed.includes(type) && allowed.includes('standard') ? 'standard' : type;
}
