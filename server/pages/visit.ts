/** What a page gets of a request, and what it returns. Only app.ts knows HTTP. */
import type {DateTime} from 'luxon';
import type {Admin} from '../admin/admin.ts';
import type {Status} from '../admin/status.ts';
import type {Html} from '../html/html.ts';
import type {Operator, Role, Session} from '../leads/operators.ts';

/** Who looks, and from where. */
export type Seen = Pick<Operator, 'name' | 'role'> & Session;

export const seesPersons = ({role}: Pick<Seen, 'role'>): boolean => role !== 'viewer';

export type Visit = {
  seen: Seen;
  /** `look` notes the operator with the action of the route. */
  admin: Admin;
  /** Now, in the time zone of the operator. */
  now: DateTime;
  /** The parameters of the path and of the query that are there once, and not empty. */
  query: Readonly<Record<string, string>>;
  /** What was sent by a form. Empty for GET. */
  form: URLSearchParams;
  /** Of this moment, or of some seconds ago: it is read once for all who look. */
  status: () => Promise<Status>;
  /** A text that only this session can read again, for addresses. `open` gives undefined for any other text. */
  encrypt: (text: string) => string;
  decrypt: (encrypted: string) => string | undefined;
};

/** `to`: a path of these pages, to which the browser goes by GET. `download`: a file with this name. */
export type Reply =
  {page: Html} | {to: string} | {download: AsyncIterable<string>; name: string; type: string};

export type Route = {
  method: 'GET' | 'POST';
  /** As Express has it, such as `/leads/:id`. */
  path: string;
  /** Who may come. To all others, it does not exist. */
  roles: readonly Role[];
  /** As the audit has it: the words of the command that does the same, such as `leads show`. */
  action: string;
  run: (visit: Visit) => Promise<Reply>;
};
