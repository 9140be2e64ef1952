import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {solve} from '../../../widget/submission/proof.ts';
import {hearConsole, stub} from '../../support/browser/browser-page.ts';
import {isSolved, newChallenge} from '../../support/browser/challenge.ts';
import {config, created, problem, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  button,
  click,
  fillAll,
  goOn,
  listen,
  open,
  openFilled,
  openSent,
  send,
  text,
  touch,
} from '../../support/browser/visitor.ts';

describe('solve', () => {
  for (const counter of [0, 1, 40]) {
    it(`finds the solution that the server's library accepts, for the counter ${counter}`, async () => {
      const proof = await solve(await newChallenge(counter));
      expect(proof?.solution.counter).to.equal(counter);
      expect(await isSolved(proof)).to.be.true;
    });
  }

  it('gives nothing without a challenge, or for one of an unknown algorithm', async () => {
    const challenge = await newChallenge();
    expect(await solve(null)).to.equal(undefined);
    const unknown = {...challenge.parameters, algorithm: 'SHA-1' as 'PBKDF2/SHA-256'};
    expect(await solve({...challenge, parameters: unknown})).to.equal(undefined);
  });
});

describe('the proof of work', () => {
  const server = useServer();
  const logged = hearConsole();

  it('is sent with the lead', async () => {
    const challenge = await newChallenge();
    server.config = () => config({challenge});
    await openSent();
    const {proof} = server.leads[0]!.body;
    expect(proof?.challenge).to.deep.equal(challenge);
    expect(await isSolved(proof)).to.be.true;
    expect(server.configRequests).to.equal(1);
  });

  it('a proof of work is only computed for a visitor who has touched the form', async () => {
    const challenge = await newChallenge();
    server.config = () => config({challenge});
    let derived = 0;
    const derive = crypto.subtle.deriveBits.bind(crypto.subtle);
    stub(crypto.subtle, 'deriveBits', {
      value: (...of: Parameters<typeof derive>) => {
        derived++;
        return derive(...of);
      },
    });
    const form = await open({'lead-type': 'standard'});
    await until(() => getComputedStyle(button(form, 'Send')).visibility === 'visible');
    expect([server.configRequests, derived]).to.deep.equal([1, 0]);
    await touch(form);
    await until(() => derived > 0);
  });

  it('is computed again for each lead of a visit if it is refused, and sent under the same key', async () => {
    server.config = async () => config({challenge: await newChallenge()});
    server.reply(
      () => problem(403, 'proof-needed'),
      () => created(),
      () => problem(403, 'proof-needed'),
      () => created(),
    );
    const form = await open();
    const events = listen(form);
    await fillAll(form);
    await send(form);
    await click(form, 'Change my answers');
    await goOn(form);
    expect((await send(form)).type).to.equal('prequal-result');
    expect(events.map(({type}) => type)).not.to.include('prequal-error');
    expect(text(form)).to.contain('$830,000');
    expect(server.leads).to.have.length(4);
    const [first, again, second, secondAgain] = server.leads;
    expect(again!.key).to.equal(first!.key);
    expect(second!.key).not.to.equal(first!.key);
    expect(secondAgain!.key).to.equal(second!.key);
    const nonces = server.leads.map(({body}) => body.proof?.challenge.parameters.nonce);
    expect(new Set(nonces).size, 'a fresh challenge each time').to.equal(4);
    for (const {body} of server.leads) expect(await isSolved(body.proof)).to.be.true;
    expect(logged).to.deep.equal([]);
  });

  it('sending can be tried again when a proof of work is refused and no new challenge comes', async () => {
    server.config = async () => config({challenge: await newChallenge()});
    server.reply(
      () => problem(403, 'proof-needed'),
      () => problem(403, 'proof-needed'),
      () => created(),
    );
    const form = await openFilled();
    await touch(form);
    server.config = () => Promise.reject(new TypeError('Failed to fetch'));
    expect((await send(form)).detail).to.deep.equal({code: 'network', retryable: true});
    expect(text(form)).to.contain('We could not send your answers');

    server.config = async () => config({challenge: await newChallenge()});
    expect((await send(form, 'Try again')).type).to.equal('prequal-result');
    expect(new Set(server.leads.map(({key}) => key)).size).to.equal(1);
    expect(await isSolved(server.leads.at(-1)!.body.proof)).to.be.true;
  });

  it('a lead is sent without proof of work where a page on plain HTTP has no crypto.subtle', async () => {
    server.config = async () => config({challenge: await newChallenge()});
    stub(crypto, 'subtle', {value: undefined});
    const form = await openFilled();
    expect((await send(form)).type).to.equal('prequal-result');
    expect(server.leads[0]!.body).not.to.have.property('proof');
  });

  it('a proof of work that is refused twice is explained in the console', async () => {
    server.reply(() => problem(403, 'proof-needed'));
    const form = await openFilled();
    expect((await send(form)).detail).to.deep.equal({code: 'proof-needed', retryable: false});
    expect(server.leads).to.have.length(2);
    expect(text(form)).to.contain('This page cannot send your answers');
    await until(() => logged.join().includes('proof_of_work to 0'));
  });
});

async function trapOf(form: LeadPrequalForm): Promise<HTMLInputElement> {
  const find = () => form.shadowRoot!.querySelector<HTMLInputElement>('[name=website]');
  await until(() => find() !== null);
  return find()!;
}

describe('the trap', () => {
  const server = useServer();

  it('is hidden from visitors, from the keyboard and from screen readers', async () => {
    const form = await openFilled();
    const trap = await trapOf(form);
    expect(trap.tabIndex).to.equal(-1);
    expect(trap.autocomplete).to.equal('off');
    expect(trap.closest('[aria-hidden=true]')).not.to.equal(null);
    const {width, height} = trap.parentElement!.getBoundingClientRect();
    expect([width, height]).to.deep.equal([1, 1]);
    await send(form);
    expect(server.leads[0]!.body).not.to.have.property('trap');
  });

  it('what a bot writes into the trap is sent to the server', async () => {
    const form = await openFilled();
    (await trapOf(form)).value = 'https://example.com';
    await send(form);
    expect(server.leads[0]!.body.trap).to.equal('https://example.com');
  });
});
