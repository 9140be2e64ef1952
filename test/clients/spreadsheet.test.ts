/** The export for sales, as a spreadsheet program opens it: Gnumeric, which converts files without a window. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {referenceOf} from '../../contract/reference.ts';
import {missing} from '../support/installed.ts';
import {operate} from '../support/operator.ts';
import {asLead, newEntry, prequalificationBody} from '../support/sample-leads.ts';

/** What visitors type, and what the cell shows. */
const phones: Readonly<Record<string, string>> = {
  '202-555-0142': '(202) 555-0142',
  '+1 415 555 0132 x12': '(415) 555-0132 ext. 12',
  '+52 55 1234 5678': '(+52) 55 1234 5678',
  '+442079460958': '(+44) 20 7946 0958',
  '+21012345678': '(+21012345678)',
};

test(
  'a time is a date, a total a number, and a telephone number is whole',
  {skip: missing('ssconvert')},
  async (t) => {
    const createdAt = new Date(2026, 10, 27, 14, 5).getTime();
    const names = ['Zoë', '=1+1', 'a; "b", (c)', '李', '1e5'];
    const entries = Object.keys(phones).map((phone, index) =>
      newEntry({createdAt, lead: asLead({...prequalificationBody, phone, first_name: names[index]})}),
    );
    const {run, folder} = await operate(t, entries);
    const [csv, xml] = [join(folder, 'leads.csv'), join(folder, 'leads.xml')];
    const {code, stderr} = await run('leads', 'export', csv, '--for', 'sales');
    assert.equal(code, 0, stderr);
    execFileSync('ssconvert', ['-T', 'Gnumeric_XmlIO:sax:0', csv, xml], {stdio: 'pipe'});
    const cells = [
      ...readFileSync(xml, 'utf8').matchAll(/<gnm:Cell Row="(\d+)" Col="(\d+)" (.*?)>(.*?)<\/gnm:Cell>/g),
    ];
    const titles = new Map<string | undefined, string | undefined>(
      cells.filter(([, row]) => row === '0').map(([, , column, , title]) => [column, title]),
    );
    /** The cells of a row, by the titles of their columns. */
    const rowOf = (row: string | undefined) =>
      Object.fromEntries(
        cells
          .filter(([, at]) => at === row)
          .map(([, , column, kind, text]) => [String(titles.get(column)), {kind, text}]),
      );
    assert.equal(new Set(cells.map(([, row]) => row)).size, entries.length + 1);
    for (const {id, lead} of entries) {
      const [, at] = cells.find(([, , , , text]) => text === referenceOf(id)) ?? [];
      const row = rowOf(at);
      assert.equal(row['Received']?.kind, 'ValueType="40" ValueFormat="yyyy-mm-dd"');
      // Days since 1899-12-30.
      assert.ok(Math.abs(Number(row['Received'].text) - (46_353 + 845 / 1_440)) < 1e-6);
      assert.equal(row['Name']?.kind, 'ValueType="60"');
      assert.deepEqual(row['Phone'], {kind: 'ValueType="60"', text: phones[lead.phone.typed]});
      assert.match(
        row['May be called']?.text ?? '',
        /^Not known whether you may call: no consent is stored$/,
      );
      assert.deepEqual(row['Total'], {kind: 'ValueType="40"', text: '862000'});
      assert.equal(row['Reference']?.text, referenceOf(id));
    }
  },
);
