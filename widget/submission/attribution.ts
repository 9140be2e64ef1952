/** How the visitor came, as far as the server takes it. */
import {attributionKeys, attributionValue, type Attribution} from '../../contract/embed.ts';

/** The page's address, and other scripts, may have put anything there. */
export const sendable = (touch: Attribution): Attribution =>
  Object.fromEntries(
    attributionKeys.map((key) => [key, touch[key]]).filter(([, text = '']) => attributionValue.test(text)),
  ) as Attribution;
