/** Rounds a minimum to what a person would say: $33,000 in the place of $32,143. */

/** Such as 50,000, 32,500 or 125,000: at most two digits, or three that end in 5, and zeros. */
const isRound = (dollars: number) => /^\d{1,2}5?0*$/.test(String(dollars));

/** The steps in which people count: 1, 5, 10, 50, 100, 500 and so on. The step is a twentieth of the amount at most. */
function stepFor(dollars: number): number {
  const power = 10 ** Math.floor(Math.log10(dollars / 20));
  return Math.max(1, dollars / 20 >= 5 * power ? 5 * power : power);
}

/**
 * @param dollars whole US dollars
 * @returns as many or up to 5 % more, so that it is still true that so much is enough. A round amount stays
 */
export function roundMinimum(dollars: number): number {
  const step = stepFor(dollars);
  return isRound(dollars) ? dollars : Math.ceil(dollars / step) * step;
}
