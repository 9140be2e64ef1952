/** What a reload says that it has changed. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {changesBetween} from '../../../server/config/reloaded.ts';
import {partner, readWith} from '../../support/wrong-settings.ts';

const access = {
  SMTP_URL: 'smtp://leads%40example.com:password@mail.example.com:587',
  ADMIN_URL: 'https://admin.example.com',
};
const mailbox = (to: string) => ({type: 'email', to: [to], details: 'contact'});
const one = {partners: [{...partner, send_to: ['mail']}], destinations: {mail: mailbox('ana@acme.example')}};
const bright = {...partner, key: 'bright', send_to: ['bright-mail']};
const two = {
  partners: [...one.partners, bright],
  destinations: {...one.destinations, 'bright-mail': mailbox('ben@bright.example')},
};

const cases: Record<string, [before: object, after: object, changes: string[]]> = {
  'nothing is said of a file that is the same': [one, one, []],
  'a second partner changes no mailbox of the first one': [
    one,
    two,
    ['partner bright added', 'destination bright-mail added'],
  ],
  'a partner that is renamed changes no mailbox': [
    two,
    {...two, partners: [...one.partners, {...bright, name: 'Bright Capital'}]},
    ['partner bright changed'],
  ],
  'another address of a mailbox is named': [
    one,
    {...one, destinations: {mail: mailbox('lea@acme.example')}},
    [
      'destination mail changed',
      'destination mail has another address or type: "lead-prequal destinations accept mail" sends it what waits',
    ],
  ],
};
for (const [title, [before, after, changes]] of Object.entries(cases))
  test(title, () =>
    assert.deepEqual(changesBetween(readWith(before, access), readWith(after, access)), changes),
  );
