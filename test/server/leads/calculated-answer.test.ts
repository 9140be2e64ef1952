import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {calculate} from '../../../calculator/calculator.ts';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {archived} from '../../../server/leads/archive.ts';
import {calculatedAnswer, explainedAnswer} from '../../../server/leads/calculated-answer.ts';
import {hashOfText} from '../../../server/leads/consent-texts.ts';
import {asLead, doneAnswer, prequalificationBody, standardBody} from '../../support/sample-leads.ts';

const lead = asLead(prequalificationBody);
const standardLead = asLead(standardBody);

suite('the answer of the calculator', () => {
  test('the calculator answers a pre-qualification lead at once, under the version of its policy', () => {
    assert.ok(lead.lead_type === 'prequalification');
    assert.deepEqual(calculatedAnswer(lead, defaultPolicy), {
      status: 'done',
      ...calculate(lead, defaultPolicy),
      policyVersion: defaultPolicy.version,
      policyHash: hashOfText(archived(defaultPolicy)).slice(0, 12),
    });
  });
  test('the calculator has no amounts for a standard lead', () => {
    assert.partialDeepStrictEqual(calculatedAnswer(standardLead, defaultPolicy), {
      status: 'done',
      amounts: null,
    });
  });
});

suite('the explanation of an answer', () => {
  const answer = calculatedAnswer(lead, defaultPolicy);

  test('amounts that the calculator has given have an explanation', () => {
    const {parts} = explainedAnswer(lead, answer, defaultPolicy) ?? {};
    assert.deepEqual(parts?.rollover_amount, {method: 'whole_balance'});
  });
  test('a standard lead has no explanation', () => {
    const none = calculatedAnswer(standardLead, defaultPolicy);
    assert.equal(explainedAnswer(standardLead, none, defaultPolicy), undefined);
  });
  test('amounts of an upstream have no explanation, even if the calculator would give the same', () => {
    assert.equal(explainedAnswer(lead, {...doneAnswer, policyVersion: null}, defaultPolicy), undefined);
  });
  test('amounts of an earlier policy have no explanation', () => {
    assert.equal(explainedAnswer(lead, answer, {...defaultPolicy, version: 'next'}), undefined);
  });
  test('amounts of a policy whose figures changed under the same version have no explanation', () => {
    const changed = {...defaultPolicy, portfolio_loan: {minimum: 0, percent_of_investments: 50}};
    assert.equal(explainedAnswer(lead, answer, changed), undefined);
  });
});
