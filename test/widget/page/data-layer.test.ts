import {expect} from '@open-wc/testing';
import {problem, useServer} from '../../support/browser/fake-server.ts';
import {stub} from '../../support/browser/browser-page.ts';
import {
  chooseScore,
  click,
  fill,
  listen,
  open,
  openFilled,
  openSent,
  text,
} from '../../support/browser/visitor.ts';

type Layers = Record<string, object[] | undefined>;
const page = window as unknown as Layers;

describe('data-layer', () => {
  const server = useServer();
  afterEach(() => {
    delete page['dataLayer'];
    delete page['tags'];
  });

  it('the data layer gets the details of the events, and nothing that was typed', async () => {
    page['dataLayer'] = [{event: 'gtm.js'}];
    const layer = page['dataLayer'];
    const events = listen();
    const form = await openSent({'data-layer': ''});
    expect(layer.slice(1)).to.deep.equal([
      {event: 'prequal_ready', prequal: {}},
      {event: 'prequal_start', prequal: {}},
      {event: 'prequal_step', prequal: {step: 2, of: 3, name: 'funds'}},
      {event: 'prequal_step', prequal: {step: 3, of: 3, name: 'contact'}},
      {event: 'prequal_submit', prequal: {}},
      {
        event: 'prequal_result',
        prequal: {id: '01934b2c-0000-7000-8000-000000000000', leadType: 'prequalification', status: 'done'},
      },
    ]);
    expect(events).to.deep.equal(
      layer.slice(1).map((pushed) => {
        const {event, prequal} = pushed as {event: string; prequal: object};
        return {type: event.replace('_', '-'), detail: Object.keys(prequal).length ? prequal : null};
      }),
    );
    const visible = JSON.stringify([layer, events, form.outerHTML, location.href]);
    for (const typed of ['Maria', 'Ortiz', 'example.com', '0132', '120', '50,000', '50000', '720', '830']) {
      expect(visible.replaceAll('leads.example.com', '')).not.to.contain(typed);
    }
  });

  it('the data layer gets the code of a failure', async () => {
    server.reply(() => problem(503, 'store-unavailable'));
    await openSent({'data-layer': ''});
    expect(page['dataLayer']?.at(-1)).to.deep.equal({
      event: 'prequal_error',
      prequal: {code: 'store-unavailable', retryable: true},
    });
  });

  it('the data layer gets which field was wrong, and no sending that the page has cancelled', async () => {
    const form = await openFilled({'data-layer': ''});
    fill(form, 'Email', 'some');
    await click(form, 'See my estimate');
    fill(form, 'Email', 'maria@example.com');
    form.addEventListener('prequal-submit', (event) => event.preventDefault(), {once: true});
    await click(form, 'See my estimate');
    expect(page['dataLayer']?.slice(-2)).to.deep.equal([
      {event: 'prequal_step', prequal: {step: 3, of: 3, name: 'contact'}},
      {event: 'prequal_invalid', prequal: {field: 'email', code: 'invalid'}},
    ]);
  });

  it('is the global array that the attribute names, and is made if it does not exist', async () => {
    await open({'data-layer': 'tags'});
    expect(page['tags']).to.deep.equal([{event: 'prequal_ready', prequal: {}}]);
    expect(page['dataLayer']).to.equal(undefined);
  });

  it('the data layer is filled with the push() of a tag manager, if there is one', async () => {
    const seen: unknown[] = [];
    page['dataLayer'] = Object.assign([], {push: (pushed: unknown) => seen.push(pushed)});
    await open({'data-layer': ''});
    expect(seen).to.deep.equal([{event: 'prequal_ready', prequal: {}}]);
  });

  it('a tag that throws does not stop the form', async () => {
    const thrown: unknown[] = [];
    // Runs a microtask as the browser does, but records an error instead of printing it in the console.
    const run = (task: () => void) => {
      try {
        task();
      } catch (error) {
        thrown.push((error as Error).message);
      }
    };
    stub(window, 'queueMicrotask', {value: (task: () => void) => Promise.resolve().then(() => run(task))});
    page['dataLayer'] = Object.assign([], {
      push: () => {
        throw new Error('a tag');
      },
    });
    const form = await open({'data-layer': ''});
    await chooseScore(form);
    await click(form, 'Next');
    expect(text(form)).to.contain('Your funds');
    expect(thrown).to.deep.equal(['a tag', 'a tag', 'a tag']);
  });

  it('nothing is pushed without the attribute data-layer', async () => {
    await open();
    expect(page['dataLayer']).to.equal(undefined);
  });
});
