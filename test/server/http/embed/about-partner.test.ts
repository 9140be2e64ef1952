/** What the form says where it asks for the contact data: no sentence that is not so. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {contactFacts} from '../../../../server/config/contact-facts.ts';
import type {DestinationSettings} from '../../../../server/config/destinations.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {aboutPartner} from '../../../../server/http/embed/partner-words.ts';

const destinations = (isOn: boolean) =>
  new Map(
    Object.entries({
      lender: {type: 'lead-api', url: 'https://api.lender.example/v1'},
      own: {type: 'webhook', url: 'https://crm.acme.example/leads'},
      crm: {type: 'webhook', url: 'https://hooks.crm.example/1'},
      near: {type: 'webhook', url: 'https://notacme.example/leads'},
      room: {type: 'chat', url: 'https://hooks.slack.com/1'},
      mail: {type: 'email', to: ['sales@acme.example', 'acme@gmail.com']},
      shared: {type: 'email', to: ['sales@acme.example', 'broker@gmail.com']},
      'mail/confirm': {type: 'confirmation', isOn},
    }) as [string, DestinationSettings][],
  );

const words = {
  en: {
    ready: 'Tell Acme Funding who it is for, and see all of it.',
    unnamed: 'Tell us who it is for, and see all of it.',
    mailed: 'We also email it to you.',
    only: 'Only Acme Funding gets this.',
    talk: 'Talk first?',
  },
  es: {
    ready: 'Diga a Acme Funding para quién es y véalo completo.',
    unnamed: 'Díganos para quién es y véalo completo.',
    mailed: 'También se lo enviamos por correo electrónico.',
    only: 'Solo Acme Funding recibe estos datos.',
    talk: '¿Prefiere hablar primero?',
  },
};

/** Each value of a setting, and whether it makes its sentence so. */
const settings = {
  name: [
    ['Acme Funding', true],
    [undefined, false],
  ],
  confirm: [
    [undefined, false],
    [{via: 'mail'}, false],
    [{via: 'mail', amounts: true}, true],
  ],
  isOn: [
    [true, true],
    [false, false],
  ],
  answer_from: [
    [undefined, true],
    ['lender', false],
  ],
  send_to: [
    [[], false],
    [['own'], true],
    [['own', 'mail'], true],
    [['own', 'crm'], false],
    [['near'], false],
    [['room'], false],
    [['shared'], false],
    [['lender'], false],
  ],
  contact: [
    [undefined, false],
    [{email: 'acme@gmail.com'}, false],
    [{phone: '(415) 555-0132', email: 'acme@gmail.com'}, true],
  ],
  trust_line: [
    [undefined, false],
    [{en: 'Rated 4.9', es: 'Valorado 4.9'}, true],
  ],
  lead_types: [
    [['prequalification', 'standard'], true],
    [['standard'], false],
  ],
} as const;
type Chosen = {[Name in keyof typeof settings]: (typeof settings)[Name][number]};

const combinations = Object.entries(settings).reduce<Partial<Chosen>[]>(
  (all, [name, values]) => all.flatMap((each) => values.map((value) => ({...each, [name]: value}))),
  [{}],
) as Chosen[];

suite('what is said where the contact data is asked for', () => {
  for (const lang of ['en', 'es'] as const)
    test(`each sentence stands where the configuration makes it so, and nowhere else: ${lang}`, () => {
      for (const {isOn, ...chosen} of combinations) {
        const given = Object.fromEntries(
          Object.entries(chosen).flatMap(([name, [value]]) => (value === undefined ? [] : [[name, value]])),
        );
        const partner = onePartner({
          ...given,
          key: 'acme',
          origins: ['https://www.acme.example', 'https://*.acme.example'],
        });
        const facts = contactFacts(partner, destinations(isOn[0]));
        const {ready, lines = []} = aboutPartner(partner, facts, `${lang}-US`) ?? {};
        const {name, confirm, answer_from, send_to, contact, trust_line, lead_types} = chosen;
        const say = words[lang];
        const isReady = answer_from[1] && lead_types[1];
        const isMailed = isReady && confirm[1] && isOn[1];
        // Without the address that visitors know, a mailbox at Gmail may be anybody's.
        const isOnly = answer_from[1] && send_to[1] && (contact[0] !== undefined || send_to[0].length < 2);
        const expected = {
          ready: isReady
            ? `${name[1] ? say.ready : say.unnamed}${isMailed ? ` ${say.mailed}` : ''}`
            : undefined,
          lines: [
            name[1] && 'Acme Funding',
            isOnly && name[1] && say.only,
            trust_line[0]?.[lang],
            contact[1] && `${say.talk} (415) 555-0132`,
          ].filter(Boolean),
        };
        const said = lines.map(({text, link}) => (link ? `${text} ${link.text}` : text));
        assert.deepEqual({ready, lines: said}, expected, JSON.stringify(given));
      }
    });

  test('a receiver is not known to be the partner where its pages are on several sites', () => {
    const origins = ['https://www.acme.example', 'https://portal.example'];
    const isOnly = (more: object) =>
      contactFacts(onePartner({key: 'acme', origins, send_to: ['own'], ...more}), destinations(true)).isOnly;
    assert.equal(isOnly({}), false);
    assert.equal(isOnly({privacy_href: 'https://www.acme.example/privacy'}), true);
    assert.equal(isOnly({privacy_href: 'https://policies.example/acme'}), false);
  });
});
