/** The partner's apply page on the server, where the form stands alone. */
import {paths} from '../../contract/api.ts';

export type Server = {
  /** The address of the server, without a slash at its end. */
  readonly origin: string;
  /** Empty for the first partner of the server. */
  readonly partner: string;
};

export const applyPage = ({origin, partner}: Server): string =>
  `${origin}${paths.apply}${partner && `/${encodeURIComponent(partner)}`}`;

/** @param locale the language in which the page is shown, such as `es-US` */
export const applyLink = (server: Server, locale: string): string =>
  `${applyPage(server)}?lang=${locale.split('-')[0]}`;
