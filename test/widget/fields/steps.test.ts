import {expect} from '@open-wc/testing';
import {contactFields, formFields} from '../../../contract/fields.ts';
import {effectiveLeadType, fieldsOf, pagesOf} from '../../../form/pages.ts';

describe('pagesOf', () => {
  it('the pages have each field of the contract once, in its order', () => {
    const all = Object.keys(formFields);
    expect(pagesOf('prequalification', false).flatMap(fieldsOf)).to.deep.equal(all);
    expect(pagesOf('prequalification', true).flatMap(fieldsOf)).to.deep.equal(all);
  });

  it('the pages of the steps layout are contact, credit and funds', () => {
    const names = pagesOf('prequalification', false).map((page) => page.map(({name}) => name));
    expect(names).to.deep.equal([['contact'], ['credit'], ['funds']]);
  });

  it('the single layout has all sections on one page', () => {
    expect(pagesOf('prequalification', true)).to.have.length(1);
  });

  it('the pages of a standard lead have only contact details', () => {
    for (const single of [false, true]) {
      expect(pagesOf('standard', single).flatMap(fieldsOf)).to.deep.equal(Object.keys(contactFields));
    }
  });
});

describe('effectiveLeadType', () => {
  const both = ['standard', 'prequalification'];
  const cases = [
    ['prequalification', undefined, 'prequalification'],
    ['standard', undefined, 'standard'],
    ['prequalification', both, 'prequalification'],
    ['standard', both, 'standard'],
    // The configuration allows only a type with fewer fields: the form asks for that one.
    ['prequalification', ['standard'], 'standard'],
    // The configuration allows only a type with more fields: the form does not ask for more than the page wants.
    ['standard', ['prequalification'], 'standard'],
    ['prequalification', [], 'prequalification'],
    ['nonsense', undefined, 'prequalification'],
  ] as const;

  for (const [wanted, allowed, type] of cases) {
    it(`the lead type is ${type} if the page wants ${wanted} and the configuration allows ${allowed?.join(' and ') ?? 'nothing yet'}`, () => {
      expect(effectiveLeadType(wanted, allowed)).to.equal(type);
    });
  }
});
