/** Erasing as a function: a plan that is shown, and the erasure that is refused if the plan would be another one by then. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {finish, Refusal} from '../../../server/admin/admin.ts';
import {eraseLeads, erasurePlan, erasureResult, planErasure} from '../../../server/admin/erasing.ts';
import {databaseKinds, operate} from '../../support/operator.ts';
import {newEntry} from '../../support/sample-leads.ts';

for (const {name, postgres, skip} of databaseKinds) {
  suite(`erasing over ${name}`, {skip}, () => {
    test('only what was shown is erased: a duplicate that came since then is a reason to look again', async (t) => {
      const [first, later] = ['one digest', 'one digest'].map((digest) =>
        newEntry({partner: 'acme', leadDigests: [digest]}),
      );
      assert.ok(first && later);
      const {accept, administer} = await operate(t, [first], {postgres, settings: {DATA_KEY: 'clear'}});
      await administer(async (admin) => {
        const input = {leads: [first.id], all: false};
        const shown = erasurePlan.parse(await planErasure(admin, input));
        assert.deepEqual(
          shown.leads.map(({id}) => id),
          [first.id],
        );
        await accept(later);
        const report = () => undefined;
        const refused = finish(eraseLeads(admin, {...input, confirm: shown.confirm}), report);
        await assert.rejects(refused, (error) => error instanceof Refusal && error.kind === 'conflict');

        const anew = await planErasure(admin, input);
        assert.deepEqual(anew.leads.map(({because}) => because).toSorted(), ['duplicate', 'named']);
        const {confirm} = anew;
        const result = await finish(eraseLeads(admin, {...input, confirm}), report);
        assert.equal(erasureResult.parse(result).out_of_files, true);
        assert.ok((await planErasure(admin, input)).leads.every(({changes}) => !changes));
      });
    });
  });
}
