import type {Config} from '../../server/config/config.ts';
import {openStore} from '../../server/store/open-store.ts';
import {createEncryptor} from '../../server/store/encryption.ts';
import {openWhile} from './opened.ts';

/** Erases a lead beside its server, as `lead-prequal leads erase` does. */
export const eraseLead = (config: Config, id: string) =>
  openWhile(openStore(config, createEncryptor(config.dataKeys)), (store) =>
    store.erase(id, Date.now(), () => true),
  );
