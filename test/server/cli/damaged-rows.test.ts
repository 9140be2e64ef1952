/** What commands do about rows that somebody, or a disk, has damaged. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {referenceOf} from '../../../contract/reference.ts';
import {databaseKinds, operate} from '../../support/operator.ts';
import {newDelivery, newEntry, sampleConsent} from '../../support/sample-leads.ts';

const sql = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** What damages the row of a lead, and what an operator reads of it. */
const damages: Record<string, readonly [damage: (id: string) => string, reason: RegExp]> = {
  'text that is no JSON': [
    (id) => `UPDATE leads SET lead = ${sql('{"first_name": "Secret')} WHERE id = '${id}'`,
    /cannot be decoded/,
  ],
  'JSON that is no object': [(id) => `UPDATE leads SET lead = 'null' WHERE id = '${id}'`, /lacks a part/],
  'a lead without a phone number': [
    (id) => `UPDATE leads SET lead = '{"first_name": "Jane"}' WHERE id = '${id}'`,
    /lacks a part/,
  ],
  'a lead without a name': [
    (id) => `UPDATE leads SET lead = ${sql('{"phone": {"typed": "1", "e164": "1"}}')} WHERE id = '${id}'`,
    /its field first_name is missing or damaged/,
  ],
  'reasons that are no JSON': [
    (id) => `UPDATE leads SET reasons = 'x' WHERE id = '${id}'`,
    /cannot be decoded/,
  ],
  'a consent without a time': [
    (id) => `UPDATE consents SET consent = '{}' WHERE lead_id = '${id}'`,
    /a time in it is no time/,
  ],
  'an attribution that is cut off': [
    (id) => `UPDATE leads SET attribution = '{"utm' WHERE id = '${id}'`,
    /cannot be decoded/,
  ],
  'a time that no calendar has': [
    (id) => `UPDATE leads SET created_at = 9000000000000000 WHERE id = '${id}'`,
    /a time in it is no time/,
  ],
};

for (const {name, postgres, skip} of databaseKinds) {
  suite(`damaged rows on ${name}`, {skip}, () => {
    test('leads that cannot be read are named, and an export goes on with the others', async (t) => {
      const whole = [newEntry({partner: 'acme'}), newEntry({partner: 'acme'})];
      const damaged = Object.entries(damages).map(([title, [damage, reason]]) => ({
        entry: newEntry({consent: sampleConsent, attribution: {utm_source: 'mail'}, partner: 'acme'}),
        title,
        damage,
        reason,
      }));
      const [first, last] = whole as [(typeof whole)[0], (typeof whole)[0]];
      const entries = [first, ...damaged.map(({entry}) => entry), last];
      const {run, execute, folder} = await operate(t, entries, {postgres});
      for (const {entry, damage} of damaged) await execute(damage(entry.id));

      const many = entries.length;
      for (const format of ['csv', 'jsonl']) {
        const file = join(folder, `leads.${format}`);
        const {code, stderr} = await run('leads', 'export', file);
        assert.equal(code, 1, stderr);
        const lines = stderr.trimEnd().split('\n');
        assert.deepEqual(lines.slice(-2), [
          `2 leads in ${file}`,
          `${damaged.length} leads could not be read, and the export lacks them.`,
        ]);
        assert.equal(lines.length, damaged.length + 3);
        for (const {entry, title, reason} of damaged) {
          const line = lines.find((each) => each.includes(entry.id)) ?? '';
          assert.ok(line.startsWith(`Lead ${referenceOf(entry.id)} (${entry.id}) cannot be read: `), title);
          assert.match(line, reason);
        }
        assert.doesNotMatch(stderr, /Secret/);
        const written = readFileSync(file, 'utf8');
        assert.deepEqual(
          entries.filter(({id}) => written.includes(id)),
          whole,
        );
      }

      for (const {entry, title, reason} of damaged) {
        const {code, stdout, stderr} = await run('leads', 'show', entry.id);
        assert.deepEqual([code, stdout], [1, ''], title);
        assert.match(stderr, /^Lead \S+ \(\S+\) cannot be read: [^\n]+\.\n$/);
        assert.match(stderr, reason);
      }
      const forPrograms = await run('leads', 'show', damaged[0]!.entry.id, '--json');
      assert.deepEqual([forPrograms.code, forPrograms.stdout], [1, '']);
      for (const words of [[], ['--json']]) {
        const {code, stdout, stderr} = await run('leads', 'list', ...words);
        assert.equal(code, 0, stderr);
        assert.equal(stdout.trimEnd().split('\n').length, many + (words.length === 0 ? 1 : 0));
      }
    });

    test('deliveries are listed and shown although parts of them are lost', async (t) => {
      const entry = newEntry({deliveries: [newDelivery({state: 'held'})], answer: {status: 'pending'}});
      const {run, execute} = await operate(t, [entry], {postgres});
      const far = 9_000_000_000_000_000;
      await execute(`
        UPDATE deliveries SET last_reply = '{"exc', recipients = '{"left', happened_at = ${far}, failing_since = ${far}`);
      for (const words of [[], ['--json']]) {
        const listed = await run('deliveries', 'list', ...words);
        assert.deepEqual([listed.code, listed.stderr], [0, '1 delivery\n']);
        const shown = await run('deliveries', 'show', entry.id, ...words);
        assert.equal(shown.code, 1);
        assert.equal(
          shown.stderr,
          'The last reply of default cannot be read: it is damaged in the database.\n',
        );
        assert.match(shown.stdout, /held/);
        assert.equal((await run('leads', 'show', entry.id, ...words)).code, 1);
      }
    });
  });
}
