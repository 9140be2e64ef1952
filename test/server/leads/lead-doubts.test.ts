/** What a configuration is warned of because nobody would call, or hear of, the leads of a server. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import type {DestinationSettings} from '../../../server/config/destinations.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {leadDoubts} from '../../../server/leads/lead-doubts.ts';
import {acme, listedOrigin} from '../../support/test-server.ts';

const destinations = new Map<string, DestinationSettings>(
  Object.entries({
    ...{desk: {type: 'email'}, room: {type: 'chat'}, lender: {type: 'lead-api'}},
    early: {type: 'webhook', events: ['lead.created']},
    late: {type: 'webhook', events: ['lead.answered']},
  }) as [string, DestinationSettings][],
);
const consentTo = (text: string, tag = 'en') => ({consent: {texts: {[tag]: {text, version: '1'}}}});
/** A partner that is told of its leads, and whose leads may be called. */
const usual = {send_to: ['desk', 'lender'], ...consentTo('Acme Funding and Lender may call me.')};
function linesOf(
  fields: Partial<Parameters<typeof onePartner>[0]>[],
  more: Partial<Parameters<typeof leadDoubts>[0]> = {},
) {
  const own = {key: 'acme', name: 'Acme Funding, LLC', origins: [listedOrigin], cid: '1001'};
  const [first, ...others] = fields.map((each) => onePartner({...own, ...each}));
  const config = {callers: [], destinations, partnersFile: 'partners.json', alerts: undefined, ...more};
  const remembered = {partner: 'acme', version: '1', language: 'en', textHash: ''};
  return leadDoubts({partners: [first!, ...others], ...config}, [remembered]).map(({text}) => text);
}

suite('the doubts about a configuration', () => {
  for (const [name, isTold] of Object.entries({desk: 1, room: 1, lender: 1, early: 1, late: 0, '': 0}))
    test(`somebody is told of the leads that go to "${name}": ${isTold}`, () => {
      const send_to = [name].filter(Boolean);
      const untold = linesOf([{...usual, send_to, confirm: {via: 'desk'}}]);
      assert.deepEqual(untold, isTold ? [] : ['Nobody is told of the leads of acme']);
      const byCallers = linesOf([usual], {callers: [{...acme, send_to}]});
      assert.deepEqual(byCallers, isTold ? [] : ['Nobody is told of the leads that callers send (acme)']);
    });

  test('a lead service that answers is told, also of the leads of callers', () => {
    assert.deepEqual(linesOf([{...usual, send_to: [], answer_from: 'lender'}]), []);
    assert.deepEqual(linesOf([usual], {callers: [{...acme, answer_from: 'lender'}]}), []);
  });

  test('one line names all partners, also one whose consent was there and is gone', () => {
    const lacking = ['acme', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => ({key}));
    assert.deepEqual(linesOf(lacking), [
      'Nobody is told of the leads of acme, b, c, d, e and 2 more',
      'Nobody may call the leads of acme (its consent text is gone from the configuration), b, c, d, e and 2 more, because visitors agree to nothing',
    ]);
  });

  const spanish = 'Con {button}, acepto que Acme me llame y me mande mensajes a mi número.';
  const english = 'With {button}, I agree that Acme calls me, and to the [Terms](https://acme.example/).';
  const [wordless, nameless] = ['has no words to read', 'names no company that may call'];
  for (const [text, tag, doubt] of [
    [' \u200b\u2060\u3164\u00ad', 'en', wordless],
    ['<p>&nbsp;</p>', 'en', wordless],
    ['{button} [\u200b](https://acme.example/) …', 'es', wordless],
    [spanish, 'en', 'seems to be in es'],
    [english, 'es', 'seems to be in en'],
    [spanish, 'es', ''],
    [english, 'en', ''],
    ['OK, Acme.', 'es', ''],
    ['Sí, Acme.', 'en', ''],
    ['I agree that Acme, with Los Amigos de la Casa y El Banco, may call me.', 'en', ''],
    ['Acepto que The Acme Company of the West me llame a mi número.', 'es', ''],
    ['I agree that [you](https://acme.example/) may call me.', 'en', nameless],
    ['I agree that the lender may call me.', 'en', ''],
    ['AcmeFunding may call me.', 'en', ''],
  ] as const)
    test(`the text ${JSON.stringify(text)} under ${tag}: ${doubt || 'no doubt'}`, () => {
      const said = `Consent texts are probably wrong: acme/${tag} (${doubt})`;
      const send_to = text.includes('lender') ? usual.send_to : ['desk'];
      assert.deepEqual(linesOf([{...usual, send_to, ...consentTo(text, tag)}]), doubt ? [said] : []);
    });

  test('a text names each lead service that gets the leads, also one that gets only some of them', () => {
    const unnamed = ['Consent texts do not name who gets the leads: acme/en (lender)'];
    const onlyAcme = consentTo('Acme Funding may call me.');
    const some = {to: 'lender', when: {lead_type: ['standard' as const]}};
    assert.deepEqual(linesOf([{...usual, ...onlyAcme}]), unnamed);
    assert.deepEqual(linesOf([{...usual, ...onlyAcme, send_to: ['desk', some]}]), unnamed);
    assert.deepEqual(linesOf([{...usual, ...onlyAcme, send_to: ['desk']}]), []);
  });

  const rest = {to: 'desk', otherwise: true as const};
  for (const [when, why] of [
    [{state: ['TX']}, 'ask does not name state'],
    [{context: {brand: ['north']}}, 'context_fields does not name brand'],
    [{lead_type: ['standard']}, 'lead_types has no such leads'],
    [{lead_type: ['standard', 'prequalification']}, ''],
    [{lead_type: ['standard'], total_at_least: 1}, 'lead_types has no such leads'],
    [{total_at_least: 1}, ''],
  ] as const)
    test(`a rule that no lead can meet: ${JSON.stringify(when)} (${why})`, () => {
      const send_to = [{to: 'lender', when: structuredClone(when) as object}, rest];
      const said = `Rules of send_to that no lead can meet: acme: lender (${why})`;
      assert.deepEqual(linesOf([{...usual, send_to, lead_types: ['prequalification']}]), why ? [said] : []);
    });

  test('a lead may go nowhere if it meets no rule, and nothing gets the others', () => {
    const some = {to: 'desk', when: {language: ['es'] as [string]}};
    const nowhere = ['A lead of acme that meets no rule of send_to goes nowhere'];
    assert.deepEqual(linesOf([{...usual, send_to: [some]}]), nowhere);
    assert.deepEqual(linesOf([{...usual, send_to: [some, {to: 'room', otherwise: true}]}]), []);
    assert.deepEqual(linesOf([{...usual, send_to: [some, 'room']}]), []);
    assert.deepEqual(linesOf([{...usual, send_to: [some], answer_from: 'lender'}]), []);
    assert.deepEqual(linesOf([usual], {callers: [{...acme, send_to: [some]}]}), nowhere);
  });
});
