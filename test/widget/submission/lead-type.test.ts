import {expect} from '@open-wc/testing';
import {effectiveLeadType} from '../../../widget/submission/preparation.ts';

describe('effectiveLeadType', () => {
  const both = ['standard', 'prequalification'] as const;
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
  ] as const;

  for (const [wanted, allowed, type] of cases) {
    it(`is ${type} if the page wants ${wanted} and ${allowed?.join(', ') ?? 'nothing yet'} is allowed`, () => {
      expect(effectiveLeadType(wanted, allowed)).to.equal(type);
    });
  }
});
