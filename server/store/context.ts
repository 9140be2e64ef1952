/** What the queries of the store work with. */
import type {Database} from './database.ts';
import type {Encryptor} from './encryption.ts';
import type {PersonIndex} from './person-queries.ts';
import type {LeadOpener} from './unreadable-leads.ts';

/** The database, encryption and decryption, and the search for people. */
export type Context = Database & {encryptor: Encryptor; opener: LeadOpener; persons: PersonIndex};
