/** Fields that are described in another way in the contract's table: what a new row of the first step looks like. */
import {expect} from '@open-wc/testing';
import {fieldTable} from '../../../form/pages.ts';
import {FakeServer} from '../../support/browser/fake-server.ts';
import {hold} from '../../support/browser/lost-files.ts';
import {
  click,
  field,
  fill,
  maybeField,
  open,
  place,
  shows,
  text,
  touch,
} from '../../support/browser/visitor.ts';
import {until} from '../../support/until.ts';

describe('a field of the first step', () => {
  const row = {...fieldTable.phone};
  const change = (changes: Partial<typeof row>) => Object.assign(fieldTable.phone, changes);
  let server: FakeServer;
  beforeEach(() => (server = new FakeServer()));
  afterEach(() => {
    server.restore();
    Object.assign(fieldTable.phone, {choices: undefined, ...row});
  });

  it('is marked as optional before and after the first touch', async () => {
    change({required: false});
    const form = await open();
    expect(text(form)).to.include('Phone (optional)');
    await touch(form);
    expect(text(form)).to.include('Phone (optional)');
  });

  it('has the options of its row, and one for no answer if it is optional', async () => {
    change({kind: 'choice', required: false, choices: ['Now', 'Later']});
    const form = await open();
    await shows(form, 'Rather not say');
    expect(field(form, 'Now').type).to.equal('radio');
    expect(maybeField(form, '680 to 720 Good')).to.equal(undefined);
    fill(form, 'First name', 'Maria');
    fill(form, 'Last name', 'Lopez');
    fill(form, 'Email', 'maria@example.com');
    field(form, 'Later').click();
    await click(form, 'Next');
    await shows(form, 'Step 2 of 3');
  });

  it('appears with the file that can show it', async () => {
    change({kind: 'flag', required: false});
    const arrive = hold('rest');
    const form = await place();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(form.hasUpdated).to.equal(false);
    arrive();
    await until(() => form.hasUpdated);
    expect(text(form)).to.include('Rather not say');
  });
});
