/** The figures of the policy, which only the forms of some partners get. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {defaultPolicy, figuresOf} from '../../../../calculator/policy.ts';
import type {EmbedConfig} from '../../../../contract/embed.ts';
import {onePartner} from '../../../../server/config/partners.ts';
import {embedConfigSchema} from '../../../../server/http/wire-schemas.ts';
import {readJson} from '../../../support/http.ts';
import {listedOrigin, startTestServer} from '../../../support/test-server.ts';

const partner = (key: string, more: object = {}) =>
  onePartner({key, origins: [listedOrigin], cid: '1001', ...more});

suite('show_estimate', () => {
  test('gives the figures to the form of the partner that sets it, and to no other', async (t) => {
    const server = await startTestServer({
      partners: [partner('acme', {show_estimate: 'before-contact'}), partner('globex')],
    });
    t.after(() => server.close());
    const configOf = async (key: string) =>
      readJson<EmbedConfig>(
        await server.fetch(`/embed/v1/config?partner=${key}`, {headers: {origin: listedOrigin}}),
        200,
      );
    const acme = await configOf('acme');
    const {portfolio_loan, ...others} = figuresOf(defaultPolicy);
    // Forms before 1.6 do not know the minimum of this loan, and must not count on it.
    const none = {...portfolio_loan, percent_of_investments: 0};
    assert.deepEqual(acme.estimate, {...others, portfolio_loan: none, portfolio_loan_from: portfolio_loan});
    assert.ok(embedConfigSchema.safeParse(acme).success, 'as the OpenAPI document describes it');
    assert.ok(!JSON.stringify(acme.estimate).includes('publishes'), 'without the sources');
    assert.ok(!('estimate' in (await configOf('globex'))));
  });
});
