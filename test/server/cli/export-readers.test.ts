/** A CSV that `lead-prequal leads export` wrote, as programs of others read it. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {toCell} from '../../../server/admin/exporting.ts';
import {missing} from '../../support/installed.ts';
import {suiteOwner} from '../../support/opened.ts';
import {operate} from '../../support/operator.ts';
import fc from '../../support/properties.ts';
import {asLead, newEntry, prequalificationBody} from '../../support/sample-leads.ts';

const pieces = [
  ...['"', '""', "'", ',', ';', '\t', '\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f'],
  ...['\0', '\u0001', '\u001a', '\u001b[2J', '\u009b2J', '\u202e', '\ufeff', '\u{e0041}', '\\', '\\"'],
  ...["=cmd|'/C calc'!A0", '=1+1', '+1', '-1', '@SUM(A1)', '＝1', ' ', 'Ana', 'Zoë', '🙂', '|', 'NULL'],
];
const texts = [
  ...pieces,
  "Call me\r\n=cmd|'/C calc'!A0\r\n2,forged,row",
  'a;=1+1',
  'a;"=1+1"',
  'a\t=1+1',
  'a,=1+1',
  'ends with \\',
  '\\",\r\n"',
  '"\r\n"',
  ...fc.sample(fc.array(fc.constantFrom(...pieces), {maxLength: 12}), 150).map((some) => some.join('')),
];

const entries = texts
  .map((text) =>
    newEntry({
      lead: {...asLead(prequalificationBody), first_name: text, last_name: `x${text}`, notes: `${text}x`},
      partner: text,
      attribution: {utm_campaign: text, gclid: text},
      suspect: text,
    }),
  )
  .toSorted((one, other) => (one.id < other.id ? -1 : 1));

type Table = (string | null)[][];

/** How each program reads the file: all rows, as JSON. */
const readers: Record<string, readonly [program: string, ...args: string[]]> = {
  "Python's csv": [
    'python3',
    '-c',
    'import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))))',
  ],
  "PHP's fgetcsv by RFC 4180": ['php', '-r', phpReader(", ',', '\"', ''"), '--'],
  "PHP's fgetcsv as it is by default": ['php', '-r', phpReader(''), '--'],
  "Ruby's CSV": [
    'ruby',
    '-E',
    'UTF-8',
    '-rcsv',
    '-rjson',
    '-e',
    'puts JSON.generate(CSV.read(ARGV[0]).map { |row| row.map(&:to_s) })',
  ],
};

function phpReader(options: string): string {
  return `$file = fopen($argv[1], 'r'); $rows = [];
    while (($row = fgetcsv($file, null${options})) !== false) $rows[] = $row;
    echo json_encode($rows, JSON_THROW_ON_ERROR);`;
}

const run = (program: string, args: readonly string[], input = '') =>
  execFileSync(program, args, {input, encoding: 'utf8', maxBuffer: 100_000_000, stdio: 'pipe'});

suite('a CSV with hostile texts', () => {
  const owner = suiteOwner();
  let written: Promise<string> | undefined;
  /** The file of one export, which all tests read. */
  const exported = () =>
    (written ??= operate(owner, entries).then(async ({run, folder}) => {
      const file = join(folder, 'leads.csv');
      const {code, stderr} = await run('leads', 'export', file);
      assert.equal(code, 0, stderr);
      return file;
    }));

  /** The rows of the table under its head are those of the leads, and each text is one cell. */
  function assertHolds([head = [], ...rows]: Table) {
    assert.equal(rows.length, entries.length);
    const place = (name: string) => head.indexOf(name);
    for (const [index, {id, lead}] of entries.entries()) {
      const row = rows[index]!;
      assert.equal(row.length, head.length);
      const {first_name, last_name, notes} = lead;
      const expected = {id, first_name, last_name, notes, partner: first_name, gclid: first_name};
      for (const [name, text] of Object.entries(expected))
        assert.equal(row[place(name)] ?? '', toCell(text ?? ''), `${name}: ${JSON.stringify(text)}`);
    }
  }

  for (const [name, [program, ...args]] of Object.entries(readers)) {
    test(
      `${name} reads one row for each lead, with the same text in each cell`,
      {skip: missing(program)},
      async () => {
        assertHolds(JSON.parse(run(program, [...args, await exported()])) as Table);
      },
    );
  }
  test(
    'sqlite3 imports one row for each lead, with the same text in each cell',
    {skip: missing('sqlite3')},
    async () => {
      const script = `.import --csv "${await exported()}" leads\n.mode json\nSELECT * FROM leads ORDER BY rowid;\n`;
      const rows = JSON.parse(run('sqlite3', [':memory:'], script)) as Record<string, string>[];
      assertHolds([Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]);
    },
  );

  test('no cell begins with a formula, wherever a program splits the file', async () => {
    const file = readFileSync(await exported(), 'utf8').replaceAll('\r\n', '\n');
    for (const sign of [/[,;\t\n\r\v\f\u0085\u2028\u2029]/, /[;\n]/, /[\t\n]/, /\n/, /[,\n]/]) {
      for (const cell of file.split(sign))
        assert.doesNotMatch(cell, /^[\s\p{C}"]*[=+\-@＝＋－＠]/u, JSON.stringify(cell));
    }
  });

  test('no control character stands in it, but tabs and line breaks', async () => {
    const file = readFileSync(await exported(), 'utf8').replaceAll('\r\n', '\n');
    assert.doesNotMatch(file, /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});
