/** Which fields stand on which page of the form. The partner's consent text stands below the fields of the last one. */
import {
  contactFields,
  financialFields,
  formFields,
  type ContactFieldName,
  type Field,
  type FieldKind,
  type FormFieldName as FieldName,
  type LeadType,
} from '../contract/fields.ts';

export type {FieldName};

/** The rows of the contract by their names, without the literal types of each row. */
export const fieldTable: Readonly<Record<FieldName, Field>> = formFields;

/** The kinds of fields that the first file of the form can show. `rest` shows all kinds. */
const textKinds = ['name', 'email', 'phone', 'text'] as const satisfies readonly FieldKind[];
type TextKind = (typeof textKinds)[number];

/** The fields whose words are needed before `rest` has arrived. */
export type FirstScreenField = {
  [Name in ContactFieldName]: (typeof contactFields)[Name]['kind'] extends TextKind ? Name : never;
}[ContactFieldName];

type Rows = typeof formFields;
/** A text for each option of each choice. */
export type OptionTexts = {
  [Name in FieldName as Rows[Name] extends {choices: readonly string[]} ? Name : never]: Rows[Name] extends {
    choices: readonly (infer Choice extends string)[];
  }
    ? Record<Choice, string>
    : never;
};

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

/** Whether the page has a field that only `rest` can show. */
export const needsRest = (page: Page | undefined) =>
  fieldsOf(page).some((name) => !(textKinds as readonly FieldKind[]).includes(fieldTable[name].kind));
