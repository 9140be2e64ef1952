import {expect} from '@open-wc/testing';
import {sendKeys} from '@web/test-runner-commands';
import {created, useServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  click,
  field,
  fill,
  fillContact,
  focused,
  goOnTo,
  heading,
  maybeButton,
  open,
  send,
  shows,
  touch,
} from '../../support/browser/visitor.ts';

describe('a mistyped e-mail address', () => {
  const server = useServer();

  const question = 'Did you mean ana@gmail.com?';

  const opened = async () => {
    server.reply(() => created({prequalification: null}));
    const form = await open({'lead-type': 'standard'});
    await touch(form);
    await fillContact(form);
    fill(form, 'Email', 'ana@gmial.com');
    field(form, 'Phone').focus();
    await shows(form, question);
    return form;
  };

  it('gets a suggestion, and a click on it corrects the address', async () => {
    const form = await opened();
    expect(announced(form)).to.equal(question);
    expect(field(form, 'Email').getAttribute('aria-invalid')).to.equal('false');
    expect(focused(form), 'the focus stays').to.equal(field(form, 'Phone'));

    await click(form, question);
    expect(field(form, 'Email').value).to.equal('ana@gmail.com');
    expect(focused(form)).to.equal(field(form, 'Email'));
    expect(maybeButton(form, question)).to.equal(undefined);
    expect(announced(form)).to.equal('');
    await send(form, 'Send');
    expect(server.leads[0]!.body.lead['email']).to.equal('ana@gmail.com');
  });

  it('gets a suggestion also for letters that an input of the type email would rewrite', async () => {
    const form = await opened();
    fill(form, 'Email', '');
    await sendKeys({type: 'ana@hotmáil.com'});
    field(form, 'Phone').focus();
    await shows(form, 'Did you mean ana@hotmail.com?');
    expect(field(form, 'Email').value).to.equal('ana@hotmáil.com');
    expect(field(form, 'Email').autocapitalize).to.equal('none');
  });

  it('is sent as it is if the visitor keeps it', async () => {
    const form = await opened();
    await send(form, 'Send');
    expect(server.leads[0]!.body.lead['email']).to.equal('ana@gmial.com');
    expect(heading(form)).to.contain('Thank you');
  });

  it('the suggestion disappears when the address is corrected by hand, and after reset()', async () => {
    const form = await opened();
    fill(form, 'Email', 'ana@gmail.com');
    await goOnTo(form, 'Phone');
    expect(maybeButton(form, question)).to.equal(undefined);

    const other = await opened();
    other.reset();
    await other.updateComplete;
    expect(maybeButton(other, question)).to.equal(undefined);
  });
});
