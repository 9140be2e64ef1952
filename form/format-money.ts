/** Writes amounts of money, in whole US dollars. */

/**
 * The locales of the form's own languages that write $50,000 in this way. Their numbers are written without `Intl`,
 * whose first use takes a phone 90 ms, which would come while the visitor leaves the first amount.
 */
const ownLocale = /^e[ns]-US$/;

/** Whether groups of three digits are separated by commas in this locale, so that no `Intl` is needed to know it. */
export const usesCommas = (locale: string) => ownLocale.test(locale);

export const groupDigits = (digits: string) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Writes an amount without the currency sign, in Latin digits, which readers of every language know. */
export const formatDollars = (dollars: number, locale: string) =>
  usesCommas(locale)
    ? groupDigits(String(dollars))
    : dollars.toLocaleString(locale, {numberingSystem: 'latn'});

/** Writes an amount with the currency sign. */
export const formatMoney = (dollars: number, locale: string) =>
  usesCommas(locale)
    ? `$${groupDigits(String(dollars))}`
    : dollars.toLocaleString(locale, {style: 'currency', currency: 'USD', maximumFractionDigits: 0});
