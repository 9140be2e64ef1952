/** How the visitor came, as far as the server takes it. */
import {attributionKeys, attributionValue, type Attribution} from '../../contract/api.ts';

/** The page's address, and other scripts, may have put anything there. */
export function sendable(touch: Attribution): Attribution {
  const fits = ([, value = '']: [string, string | undefined]) => attributionValue.test(value);
  return Object.fromEntries(attributionKeys.map((key) => [key, touch[key]] as [string, string]).filter(fits));
}
