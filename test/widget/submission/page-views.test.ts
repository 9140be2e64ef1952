/** What the form tells the server of a page view: it is counted once, as shown or as begun. */
import {expect} from '@open-wc/testing';
import {config, created, problem, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  click,
  fillContact,
  open,
  openSent,
  send,
  shows,
  startOver,
  touch,
} from '../../support/browser/visitor.ts';

describe('a page view', () => {
  const server = useServer();
  const views: (string | null)[] = [];
  beforeEach(() => {
    views.length = 0;
    server.config = ({searchParams}) => {
      views.push(searchParams.get('view'));
      return config();
    };
  });
  const counted = () => views.filter((view) => view !== 'again');
  const askedAgain = async (work: () => unknown) => {
    const before = views.length;
    await work();
    await until(() => views.length > before);
  };

  it('counts as begun once, also with changed answers, another language, and over again', async () => {
    const form = await open();
    expect(views, 'nothing is asked before the first touch').to.deep.equal([]);
    await touch(form);
    await until(() => views.length === 1);
    form.remove();
    views.length = 0;

    const sent = await openSent();
    await askedAgain(() => click(sent, 'Change my answers'));
    await askedAgain(() => (sent.lang = 'es'));
    await shows(sent, 'Paso 2 de 3');
    sent.lang = 'en';
    await shows(sent, 'Step 2 of 3');
    server.reply(() => problem(409, 'consent-outdated'));
    await askedAgain(() => sent.submit());
    server.reply(() => created());
    await sent.submit();
    await askedAgain(() => startOver(sent));
    expect(counted()).to.deep.equal(['began']);
  });

  it('counts as shown where the consent text is on the first screen', async () => {
    const form = await open({'lead-type': 'standard', layout: 'single'});
    await until(() => views.length > 0);
    await fillContact(form);
    await askedAgain(async () => {
      await send(form, 'Send');
      await startOver(form);
    });
    expect(counted()).to.deep.equal(['shown']);
  });

  it('that the server could not count is counted with the next request', async () => {
    const answers = server.config;
    server.config = () => Promise.reject(new TypeError('no network'));
    const form = await open({'lead-type': 'standard', layout: 'single'});
    await fillContact(form);
    server.config = answers;
    await send(form, 'Send');
    expect(counted()).to.deep.equal(['began']);
  });
});
