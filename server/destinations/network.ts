/** What destinations reach the world with. Tests and the simulation hand in some of it. */
import {createTransport, type NodemailerError, type SendMailOptions, type SMTPPoolOptions} from 'nodemailer';
import {Pool} from 'undici';
import {lookUp, type Lookup} from './lookups.ts';

export type Network = {
  /** Looks up a host. */
  lookup: Lookup;
  /** Makes the connections to an origin, such as `https://crm.example.com`. */
  createPool: (origin: string, options: Pool.Options) => Pick<Pool, 'request' | 'destroy'>;
  /** Makes the connections to a mail server. */
  createTransport: (options: SMTPPoolOptions & {pool: true}) => {
    sendMail: (
      message: SendMailOptions,
    ) => Promise<{rejectedErrors?: readonly NodemailerError[] | undefined}>;
    close: (options: {force: boolean}) => void;
  };
};

export const usualNetwork: Network = {
  lookup: lookUp,
  createPool: (origin, options) => new Pool(origin, options),
  createTransport,
};
