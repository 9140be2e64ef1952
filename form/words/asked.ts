/**
 * The choices of the fields that a partner may ask for, in words. The server sends them with the configuration, so they
 * are not in the files of the form.
 */
import type {AskedField} from '../../contract/embed.ts';
import {extraFields, type AskedFieldName} from '../../contract/extra-fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import {formLanguageOf, formLanguages, serverWords, type FormLanguage} from './languages.ts';

const stateCodes = extraFields.state.choices;

/** Visitors look for their state by the alphabet of their language. */
function statesIn(language: FormLanguage): Record<string, string> {
  const names = serverWords[language].asked.state.split(', ');
  const states = stateCodes.map((code, index) => [code, names[index] ?? code] as const);
  const {compare} = new Intl.Collator(language);
  return Object.fromEntries(states.toSorted(([, one], [, other]) => compare(one, other)));
}

const choicesIn = (language: FormLanguage): {readonly [Name in AskedFieldName]?: AskedField['choices']} => ({
  ...serverWords[language].asked,
  state: statesIn(language),
});

const byLanguage = tableOf(formLanguages, choicesIn);

/** @param locale the language of the form, such as `es-US`; English if it is not known */
export function askedFieldsIn(names: readonly AskedFieldName[], locale = 'en'): AskedField[] {
  const choicesOf = byLanguage[formLanguageOf(locale)];
  return names.map((name) => {
    const choices = choicesOf[name];
    return {name, ...(choices && {choices})};
  });
}
