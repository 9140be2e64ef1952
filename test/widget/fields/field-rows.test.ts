/** Fields that are described in another way in the contract's table: what a new row looks like. */
import {expect} from '@open-wc/testing';
import {fieldTable} from '../../../form/pages.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {click, field, fill, maybeField, open, shows, text, touch} from '../../support/browser/visitor.ts';

const contactFirst = {order: 'contact-first'};

describe('a field', () => {
  const row = {...fieldTable.phone};
  const change = (changes: Partial<typeof row>) => Object.assign(fieldTable.phone, changes);
  useServer();
  afterEach(() => Object.assign(fieldTable.phone, {choices: undefined, ...row}));

  it('is marked as optional before and after the first touch', async () => {
    change({required: false});
    const form = await open(contactFirst);
    expect(text(form)).to.include('Phone (optional)');
    await touch(form);
    expect(text(form)).to.include('Phone (optional)');
  });

  it('has the options of its row, and one for no answer if it is optional', async () => {
    change({kind: 'choice', required: false, choices: ['Now', 'Later']});
    const form = await open(contactFirst);
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
});
