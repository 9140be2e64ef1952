/** Where destinations are and were, who had a lead there, and who is told when it is erased after an address has changed. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import type {Admin} from '../../../server/admin/admin.ts';
import {deliveriesOf, receiver, receiversOf, type Changed} from '../../../server/admin/deliveries.ts';
import {acceptAddress, listDestinations} from '../../../server/admin/destinations.ts';
import {planErasure} from '../../../server/admin/erasing.ts';
import {addressOf, placeOf} from '../../../server/config/destinations.ts';
import {startNotingAddresses} from '../../../server/destinations/address-uses.ts';
import type {AddressUse, DeliveryContent, NewDelivery} from '../../../server/leads/deliveries.ts';
import {openStore, openAttachedStore} from '../../../server/store/open-store.ts';
import {sentLead} from '../../support/embed-client.ts';
import {emailSettings} from '../../support/email-settings.ts';
import {openFor} from '../../support/opened.ts';
import {planAndErase, unnoted, carryOut} from '../../support/operator.ts';
import {quickTimings} from '../../support/quick-timings.ts';
import {doneAnswer, failedAttempt, newDelivery, newEntry, eventTo} from '../../support/sample-leads.ts';
import {forEachStore} from '../../support/stores.ts';
import {partners, testEncryptor} from '../../support/test-server.ts';
import {until} from '../../support/until.ts';
import {replyWith, startWebhookReceiver, type WebhookReceiver} from '../../support/webhook-receiver.ts';

const [acme] = partners;
const at = ({settings}: Pick<WebhookReceiver, 'settings'>) => new Map([['crm', settings]]);
const placeAt = ({port}: WebhookReceiver) => `127.0.0.1:${port}`;
const eventsAt = ({received}: WebhookReceiver) =>
  received.map(({body}) => JSON.parse(body) as {type: string; data: {id: string}});
const keyOf = (lead: string, content: DeliveryContent) => ({lead, destination: 'crm', content});
const planOf = async (admin: Admin, lead: string) =>
  (await planErasure(admin, {leads: [lead], all: false})).leads[0]!;

forEachStore((store) => {
  suite('a destination whose address changes', () => {
    /** A server that sends the leads of a partner to the first of two webhooks. */
    async function start(t: TestContext) {
      const former = await openFor(t, startWebhookReceiver());
      const next = await openFor(t, startWebhookReceiver());
      const prepared = {partners: [{...acme, sendTo: ['crm']}], destinations: at(former)} as const;
      const server = await openFor(t, store.startServer(prepared, quickTimings));
      const attached = await openFor(t, openAttachedStore(server.config, testEncryptor, true));
      const under = (present: WebhookReceiver): Admin => ({
        ...{store: attached, noteAccess: unnoted, actor: 'ana'},
        config: {...server.config, destinations: at(present)},
      });
      /** Resolves once the lead was delivered. */
      const sent = async () => {
        const {id} = await sentLead(server);
        await until(async () =>
          (await receiversOf(under(next), id)).some(({state}) => state === 'delivered'),
        );
        return id;
      };
      const erasedEvents = async (lead: string) =>
        (await deliveriesOf(under(next), lead)).deliveries.filter(({content}) => content === 'erased');
      return {former, next, server, under, sent, erasedEvents};
    }

    test('is told of no lead that only the address of before had, and that one is named', async (t) => {
      const {former, next, server, under, sent, erasedEvents} = await start(t);
      const before = await sent();
      await server.reload({destinations: at(next)});
      const after = await sent();
      const admin = under(next);
      for (const [id, place] of [
        [before, placeAt(former)],
        [after, placeAt(next)],
      ] as const) {
        const had = await receiversOf(admin, id);
        assert.deepEqual(receiver.array().parse(had), had);
        assert.partialDeepStrictEqual(had, [
          {destination: 'crm', content: 'created', state: 'delivered', place, told_of_erasure: false},
        ]);
        assert.partialDeepStrictEqual((await deliveriesOf(admin, id)).deliveries, [{place}]);
      }
      const addresses = async () => (await listDestinations(admin))[0]!.addresses;
      await until(async () => (await addresses()).every(({last_used_at}) => last_used_at !== null));
      const isPresent = Object.fromEntries((await addresses()).map((each) => [each.place, each.is_present]));
      assert.deepEqual(isPresent, {[placeAt(next)]: true, [placeAt(former)]: false});

      assert.partialDeepStrictEqual(await planOf(admin, before), {
        told: [],
        former: [{destination: 'crm', place: placeAt(former)}],
        event: {type: 'lead.erased', data: {id: before}},
      });
      assert.partialDeepStrictEqual(await planOf(admin, after), {told: ['crm'], event: null});
      await planAndErase(admin, [before]);
      assert.equal(await acceptAddress(admin, 'crm'), 0);
      await planAndErase(admin, [after]);
      await until(async () => (await receiversOf(admin, after)).every((each) => each.told_of_erasure));
      assert.partialDeepStrictEqual(await receiversOf(admin, before), [{told_of_erasure: false}]);
      assert.deepEqual(await erasedEvents(before), []);
      assert.ok(eventsAt(next).every(({data}) => data.id === after));
    });

    test('the event of an erasure stays until it is dropped, whatever is accepted meanwhile', async (t) => {
      const {former, next, server, under, sent, erasedEvents} = await start(t);
      const id = await sent();
      former.answerWith(replyWith(500));
      await planAndErase(under(former), [id]);
      await former.hasReceived(2);
      await server.reload({destinations: at(next)});
      await until(async () =>
        /must not hear of it: tell the former one by hand/.test(
          (await erasedEvents(id))[0]?.last_error ?? '',
        ),
      );
      const admin = under(next);
      assert.equal(await acceptAddress(admin, 'crm'), 0);
      assert.partialDeepStrictEqual(await erasedEvents(id), [{state: 'waiting', place: placeAt(former)}]);
      // It is tried again and again, and is not dropped while it is under way.
      const drop = () =>
        carryOut<Changed>(admin, 'deliveries drop', {lead: id, stops: true}).catch(() => ({deliveries: 0}));
      await until(async () => (await drop()).deliveries === 1);
      assert.partialDeepStrictEqual(await erasedEvents(id), [{state: 'dropped'}]);
      assert.deepEqual(eventsAt(next), []);
    });
  });

  suite('a delivery for which another address was accepted', () => {
    const server = store.useServer();
    const hook = (host: string) => ({
      settings: {
        ...{type: 'webhook', url: `https://${host}/hook`, secrets: [], isInternal: false},
        ...{perSecond: undefined, parallel: undefined},
      } as WebhookReceiver['settings'],
    });
    const [former, next] = [hook('old.example.com'), hook('new.example.com')];

    /** A lead with an event for the former address, and what a test does with it. */
    async function start(t: TestContext, others: readonly NewDelivery[] = []) {
      const opened = await openFor(t, openStore(server.config, testEncryptor));
      const event = eventTo('crm', {address: addressOf(former.settings)});
      const entry = newEntry({answer: {status: 'pending'}, deliveries: [event, ...others]});
      await opened.accept(entry);
      const use = (one: typeof former, lastUsed: number): AddressUse => ({
        ...{destination: 'crm', address: addressOf(one.settings), place: placeOf(one.settings)},
        ...{firstUsed: 1, lastUsed},
      });
      await opened.noteAddresses([use(next, 0), use(former, Date.UTC(2026, 3, 30))]);
      const claim = async (destination: string) => {
        const now = Date.now();
        const wanted = {now, leaseEnd: now + 60_000, limit: 9, maxSends: 3};
        return (await opened.claimDue(destination, wanted)).due.filter(({lead}) => lead.id === entry.id);
      };
      const admin: Admin = {
        store: opened,
        noteAccess: unnoted,
        actor: 'ana',
        config: {...server.config, destinations: at(next)},
      };
      return {id: entry.id, store: opened, claim, admin};
    }
    const inFormer = [
      {destination: 'crm', place: 'old.example.com', last_used_at: '2026-04-30T00:00:00.000Z'},
    ];

    test('may be at both: one is named until the other has something, which is told then', async (t) => {
      const {id, store, claim, admin} = await start(t);
      const [first] = await claim('crm');
      assert.equal(await acceptAddress(admin, 'crm'), 0, 'it is in progress');
      const recipients = {left: ['old@example.com'], refused: []};
      const failed = {...failedAttempt, recipients, tried: true, until: 0};
      await store.postpone(keyOf(id, 'created'), first!.leaseEnd, failed);
      assert.equal(await acceptAddress(admin, 'crm'), 1);
      assert.partialDeepStrictEqual(await receiversOf(admin, id), [
        {state: 'unclear', place: 'old.example.com'},
      ]);
      assert.partialDeepStrictEqual(await planOf(admin, id), {told: [], former: inFormer});

      const [second] = await claim('crm');
      assert.equal(second?.address, addressOf(next.settings));
      assert.equal(second.failingSince, null, 'nothing has failed at this one');
      assert.equal(second.recipients, null, 'no mailbox there has it');
      await store.settle(keyOf(id, 'created'), second.leaseEnd, {state: 'delivered', answer: null});
      assert.partialDeepStrictEqual(await receiversOf(admin, id), [
        {state: 'delivered', place: 'new.example.com'},
        {state: 'unclear', place: 'old.example.com'},
      ]);
      assert.partialDeepStrictEqual(await planOf(admin, id), {told: ['crm'], former: inFormer});
      await planAndErase(admin, [id]);
      assert.partialDeepStrictEqual(await claim('crm'), [
        {content: 'erased', address: addressOf(next.settings)},
      ]);
    });

    test('that was tried at the former address alone is told to nobody when its lead is erased', async (t) => {
      const {id, store, claim, admin} = await start(t);
      const [due] = await claim('crm');
      await store.postpone(keyOf(id, 'created'), due!.leaseEnd, {...failedAttempt, tried: true, until: 0});
      await acceptAddress(admin, 'crm');
      await planAndErase(admin, [id]);
      assert.deepEqual(await claim('crm'), []);
    });

    test('tells the new receiver of the answer, and then of the erasure, and the former one is named', async (t) => {
      const up = newDelivery({destination: 'up'});
      const {id, store, claim, admin} = await start(t, [up]);
      for (const [destination, content] of Object.entries({crm: 'created', up: 'lead'} as const)) {
        const [due] = await claim(destination);
        const answer = content === 'lead' ? doneAnswer : null;
        await store.settle({lead: id, destination, content}, due!.leaseEnd, {state: 'delivered', answer});
      }
      await server.execute(
        `UPDATE deliveries SET settled_at = settled_at - 1000 WHERE lead_id = '${id}' AND content = 'created'`,
      );
      assert.equal(await acceptAddress(admin, 'crm'), 1);
      const [answered] = await claim('crm');
      assert.partialDeepStrictEqual(answered, {content: 'answered', address: addressOf(next.settings)});
      await store.settle(keyOf(id, 'answered'), answered!.leaseEnd, {state: 'delivered', answer: null});
      const plan = await planOf(admin, id);
      assert.deepEqual(plan.told, ['crm']);
      assert.partialDeepStrictEqual(
        plan.former.filter(({destination}) => destination === 'crm'),
        inFormer,
      );
      await planAndErase(admin, [id]);
      assert.partialDeepStrictEqual(await claim('crm'), [
        {content: 'erased', address: addressOf(next.settings)},
      ]);
    });
  });
});

suite('the place of a destination', () => {
  test('is the host of a URL, without its secrets, or the mailboxes, and nothing for confirmations', () => {
    const secret = 'https://hooks.slack.com/services/T0/B0/secret?key=secret';
    const chat = {type: 'chat', format: 'slack', url: secret, details: 'none', isInternal: false} as const;
    const more = {perSecond: undefined, parallel: undefined, rounding: 1, events: undefined};
    assert.equal(placeOf({...chat, ...more}), 'hooks.slack.com');
    const inbox = emailSettings('smtp://user:secret@mail.example.com', {
      to: ['b@example.com', 'a@example.com'],
    });
    assert.equal(placeOf(inbox), 'a@example.com,b@example.com');
  });

  test('is stored after an outage of the store, with the first and the last use', async () => {
    const stored: AddressUse[] = [];
    let isAway = true;
    const uses = startNotingAddresses(
      {
        noteAddresses: (rows) =>
          isAway
            ? Promise.reject(new Error('The store is away'))
            : Promise.resolve(void stored.push(...rows)),
      },
      quickTimings.lease,
    );
    const served = {address: 'a1', place: 'crm.example.com'};
    uses.note('crm', served, 0);
    uses.note('crm', served, 1_000);
    await uses.write();
    uses.note('crm', served, 2_000);
    await uses.write();
    isAway = false;
    await uses.stop();
    assert.deepEqual(stored, [{destination: 'crm', ...served, firstUsed: 1_000, lastUsed: 2_000}]);
  });
});
