/** A command line for each row of the table of operations. */
import assert from 'node:assert/strict';
import {groups} from '../../server/admin/operations/table.ts';

/**
 * `held` and `waiting`: leads with such a delivery to `crm`. `phone`: of the first one, who asked to be erased. `kid`: an evidence key. There is
 * an operator Ana.
 */
type Named = {held: string; waiting: string; phone: string; kid: string; key: string; text?: string};

export const rows = groups.flatMap((group) => group.rows);

/** In this order, each has something to do. @param text what operators write */
export function operationLines({held, waiting, phone, kid, key, text = 'why'}: Named) {
  const lines: [words: string, ...rest: string[]][] = [
    ['leads list', '--phone', phone],
    ['leads count', '--by', 'partner,campaign'],
    ['leads show', held],
    ['leads person', '--phone', phone],
    ['leads note', held, '--outcome', 'talked', '--text', text],
    ['leads requests'],
    ['leads requests add', held, '--kind', 'know', '--via', 'phone'],
    ['leads requests end', held, '--kind', 'erase', '--reason', text],
    ['leads keep', held, '--until', '2099-01-01', '--reason', text],
    ['leads kept'],
    ['routes try', held],
    ['consent show', held],
    ['consent list'],
    ['deliveries list'],
    ['deliveries summary'],
    ['deliveries show', held],
    ['deliveries release', held],
    ['deliveries retry', held],
    ['leads correct', held, '--phone', '(415) 555-0199'],
    ['deliveries drop', '--destination', 'crm', '--state', 'waiting'],
    ['deliveries settle', waiting, '--taken-as', 'u-1'],
    ['destinations list'],
    ['destinations test', 'crm'],
    ['destinations pause', 'crm', '--reason', text],
    ['destinations resume', 'crm'],
    ['destinations accept', 'crm'],
    ['consent revoke', held],
    ['consent allow', phone, '--reason', text],
    ['leads erase', held],
    ['operators list'],
    ['operators invite', 'Ben'],
    ['operators revoke', 'Ana'],
    ['partners list'],
    ['audit list'],
    ['evidence list'],
    ['evidence renew'],
    ['evidence leaked', kid, '--since', 'today'],
    ['keys status'],
    ['keys saved'],
    ['keys rotate'],
    ['versions list'],
    ['keys forget', key],
  ];
  const named = lines.map(([words]) => words);
  assert.deepEqual(
    named.toSorted(),
    rows.map(({words}) => words).toSorted(),
    'each row of the table needs a line in `operationLines` of test/support/operations.ts, and no line is without a row',
  );
  return lines;
}

/** SQL after which no entry of the audit can be written. */
export const refuseAudit = (postgres: boolean): string =>
  postgres
    ? `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no room'; END$$;
      CREATE TRIGGER refuse BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION refuse()`
    : "CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END";
