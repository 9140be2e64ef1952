/** Which fields stand on which page of the form. The partner's consent text stands below the fields of the last one. */
import {
  contactFields,
  financialFields,
  formFields,
  type ContactFieldName,
  type Field,
  type FormFieldName as FieldName,
  type LeadType,
} from '../contract/fields.ts';

export type {FieldName};

/** The rows of the contract by their names, without the literal types of each row. */
export const fieldTable: Readonly<Record<FieldName, Field>> = formFields;

export const isField = (name: string | undefined): name is FieldName =>
  name !== undefined && Object.hasOwn(fieldTable, name);

export type StepName = 'contact' | 'credit' | 'funds';
export type Step = {readonly name: StepName; readonly fields: readonly FieldName[]};

export const contactNames = Object.keys(contactFields) as ContactFieldName[];
const financialNames = Object.keys(financialFields) as FieldName[];
const isMoney = (name: FieldName) => fieldTable[name].kind === 'money';

const steps: Readonly<Record<LeadType, readonly Step[]>> = {
  standard: [{name: 'contact', fields: contactNames}],
  prequalification: [
    {name: 'contact', fields: contactNames},
    {name: 'credit', fields: financialNames.filter((name) => !isMoney(name))},
    {name: 'funds', fields: financialNames.filter(isMoney)},
  ],
};

/** The steps that are shown at the same time. */
export type Page = readonly Step[];

/** @param single all steps are shown on one page */
export const pagesOf = (leadType: LeadType, single: boolean): readonly Page[] =>
  single ? [steps[leadType]] : steps[leadType].map((step) => [step]);

export const fieldsOf = (page: Page = []) => page.flatMap(({fields}) => fields);

/**
 * The page asks for a lead type, and the partner's configuration may not allow it. The form then asks for less than
 * the page wanted, never for more. If the page's lead type is still not allowed, the server refuses the lead.
 */
export function effectiveLeadType(wanted: string, allowed: readonly string[] | undefined): LeadType {
  const type = wanted === 'standard' ? 'standard' : 'prequalification';
  return allowed && !allowed.includes(type) && allowed.includes('standard') ? 'standard' : type;
}
