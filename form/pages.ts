/** Which fields stand on which page of the form. The partner's consent text stands below the fields of the last one. */
import type {AskedField} from '../contract/embed.ts';
import {
  contactFields,
  formFields,
  manyLines,
  oneLine,
  type CreditScore,
  type Field,
  type FieldTable,
  type FormFieldName,
  type LeadType,
} from '../contract/fields.ts';

export type FieldName = FormFieldName;

/** The rows of the contract by their names, without the literal types of each row. */
export const fieldTable = {...formFields} as FieldTable as Record<FieldName, Field>;
export type Rows = Readonly<Record<FieldName, Field>>;

/** The rows of what a partner asks besides, which only its configuration knows. */
export const ownRows = (asked: readonly AskedField[]): Partial<Rows> =>
  Object.fromEntries(
    asked
      .filter(({name, label}) => label && !Object.hasOwn(formFields, name))
      .map(({name, choices, required = false, max, autocomplete}) => [
        name,
        {
          kind: choices ? 'choice' : max ? 'text' : 'name',
          required,
          max: max ?? 200,
          pattern: max ? manyLines : oneLine,
          ...(autocomplete && {autocomplete}),
        } satisfies Field,
      ]),
  );

export const contactNames = /* @__PURE__ */ Object.keys(contactFields) as (keyof typeof contactFields)[];

/** What a page may say in the attribute `order`, the default first. */
export const orders = ['funds-first', 'contact-first'] as const;
export type Order = (typeof orders)[number];

export type StepName = 'contact' | 'credit' | 'funds';
/** The words above a step, by their name. The contact data has others where the estimate is ready. */
export type StepTitle = StepName | 'estimate';
export type Step = {
  readonly name: StepName;
  /** Without one, the question about the score stands in its place. */
  readonly title?: StepTitle;
  readonly fields: readonly FieldName[];
};

/** The steps that are shown at the same time. */
export type Page = readonly Step[];

// These names are written out, because the first file of the form would otherwise have all rows of the contract.
const amounts = ['retirement', 'cash', 'investments'] as const;
const contact = ['first_name', 'last_name', 'email', 'phone'] as const;

/**
 * The pages of the default order, a step each. The first file of the form shows the first of them. With a later file, the
 * question about a bankruptcy comes to that page, too (`withBankruptcyBelowScore`).
 */
export const defaultPages: readonly Page[] = [
  [{name: 'credit', fields: ['credit_score']}],
  [{name: 'funds', title: 'funds', fields: ['bankruptcy', ...amounts]}],
  [{name: 'contact', title: 'contact', fields: contact}],
];

const contactStep: Step = {name: 'contact', title: 'contact', fields: contact};

const contactFirst: readonly Page[] = [
  [contactStep],
  [{name: 'credit', title: 'credit', fields: ['credit_score', 'bankruptcy']}],
  [{name: 'funds', title: 'funds', fields: amounts}],
];

/** How a page arranges the fields. Of an order or a layout that is unknown, the form shows the default. */
export type Arrangement = {readonly order: string; readonly layout: string};

/** The default pages, with the question about a bankruptcy below the score. Other pages stay as they are. */
export function withBankruptcyBelowScore(pages: readonly Page[]): readonly Page[] {
  const [[score] = [], [funds] = [], ...others] = pages;
  if (!score || score.title || !funds) return pages;
  const fields = ['credit_score', 'bankruptcy'] as const;
  return [[{...score, fields}], [{...funds, fields: funds.fields.slice(1)}], ...others];
}

/** What is folded together, because nobody has to answer it, and it has no place of its own. */
export const isFolded = ({required, step}: AskedField) => !required && !step;

/**
 * Adds what the partner asks for besides: to the end of the last step, where the consent stands below it, or below the
 * amounts. What is folded together stands below the others.
 */
export function withAsked(pages: readonly Page[], asked: readonly AskedField[]): readonly Page[] {
  const last = pages.flat().at(-1);
  const funds = pages.flat().find(({name}) => name === 'funds') ?? last;
  const added = (step: Step) => {
    const here = asked.filter((each) => step === (each.step ? funds : last));
    return [...here.filter((each) => !isFolded(each)), ...here.filter(isFolded)];
  };
  return pages.map((page) =>
    page.map((step) => ({
      ...step,
      fields: [...step.fields, ...added(step).map(({name}) => name as FieldName)],
    })),
  );
}

/** @returns `defaultPages` itself, if these are the pages */
export function pagesOf(leadType: LeadType, {order, layout}: Arrangement): readonly Page[] {
  if (leadType === 'standard') return [[contactStep]];
  const pages = order === 'contact-first' ? contactFirst : defaultPages;
  return layout === 'single' ? [pages.flat()] : pages;
}

export const fieldsOf = (page: Page = []) => page.flatMap(({fields}) => fields);

/** The words of each choice. */
export type OptionTexts = {credit_score: Record<CreditScore, string>};
