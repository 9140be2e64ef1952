/**
 * The choices of the fields that a partner may ask for, in words. The server sends them with the configuration, so they
 * are not in the files of the form.
 */
import type {AskedField} from '../../contract/embed.ts';
import {
  extraFields,
  type timeFrames,
  type AskedFieldName,
  type CallTime,
} from '../../contract/extra-fields.ts';
import {tableOf} from '../../contract/table-of.ts';
import type {LanguageTag} from './languages.ts';
import {tagFor} from './text-in-language.ts';

type TimeFrame = (typeof timeFrames)[number];
type Words = {
  callTimes: Record<CallTime, string>;
  timeFrames: Record<TimeFrame, string>;
  /** In the order of `extraFields.state.choices`, which is that of the English names. */
  states: string;
};

type Language = 'en' | LanguageTag;

/** The default first. */
const words: Readonly<Record<Language, Words>> = {
  en: {
    callTimes: {
      morning: 'In the morning',
      afternoon: 'In the afternoon',
      evening: 'In the evening',
      text_first: 'Text me first',
    },
    timeFrames: {
      "Don't Know Yet": 'I do not know yet',
      'Less than 2 months': 'In less than 2 months',
      '2-6 months': 'In 2 to 6 months',
      '6-12 months': 'In 6 to 12 months',
      'More than 12 Months': 'In more than 12 months',
    },
    states:
      'Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia, Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming, American Samoa, Guam, Northern Mariana Islands, Puerto Rico, U.S. Virgin Islands',
  },
  es: {
    callTimes: {
      morning: 'Por la mañana',
      afternoon: 'Por la tarde',
      evening: 'Por la noche',
      text_first: 'Prefiero un mensaje de texto primero',
    },
    timeFrames: {
      "Don't Know Yet": 'Todavía no lo sé',
      'Less than 2 months': 'En menos de 2 meses',
      '2-6 months': 'En 2 a 6 meses',
      '6-12 months': 'En 6 a 12 meses',
      'More than 12 Months': 'En más de 12 meses',
    },
    states:
      'Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Distrito de Columbia, Florida, Georgia, Hawái, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Luisiana, Maine, Maryland, Massachusetts, Míchigan, Minnesota, Misisipi, Misuri, Montana, Nebraska, Nevada, Nuevo Hampshire, Nueva Jersey, Nuevo México, Nueva York, Carolina del Norte, Dakota del Norte, Ohio, Oklahoma, Oregón, Pensilvania, Rhode Island, Carolina del Sur, Dakota del Sur, Tennessee, Texas, Utah, Vermont, Virginia, Washington, Virginia Occidental, Wisconsin, Wyoming, Samoa Americana, Guam, Islas Marianas del Norte, Puerto Rico, Islas Vírgenes de los EE. UU.',
  },
};

const stateCodes = extraFields.state.choices;

/** Visitors look for their state by the alphabet of their language. */
function statesIn(language: Language): Record<string, string> {
  const names = words[language].states.split(', ');
  const states = stateCodes.map((code, index) => [code, names[index] ?? code] as const);
  const {compare} = new Intl.Collator(language);
  return Object.fromEntries(states.toSorted(([, one], [, other]) => compare(one, other)));
}

function choicesIn(language: Language): Record<AskedFieldName, AskedField['choices']> {
  const {callTimes: times, timeFrames: frames} = words[language];
  return {call_time: times, state: statesIn(language), time_frame: frames, notes: undefined};
}

const byLanguage = tableOf(Object.keys(words) as Language[], choicesIn);

/** @param locale the language of the form, such as `es-US`; English if it is not known */
export function askedFieldsIn(names: readonly AskedFieldName[], locale = 'en'): AskedField[] {
  const choicesOf = byLanguage[tagFor(words, locale) as Language];
  return names.map((name) => {
    const choices = choicesOf[name];
    return {name, ...(choices && {choices})};
  });
}
