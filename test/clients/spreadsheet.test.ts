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
    const rowOf = (row: number) =>
      Object.fromEntries(
        cells
          .filter(([, at]) => Number(at) === row)
          .map(([, , column = '', kind, text]) => [column, {kind, text}]),
      );
    assert.equal(new Set(cells.map(([, row]) => row)).size, entries.length + 1);
    for (const {id, lead} of entries) {
      const [, at] = cells.find(([, , column, , text]) => column === '9' && text === referenceOf(id)) ?? [];
      const row = rowOf(Number(at));
      assert.equal(row['0']?.kind, 'ValueType="40" ValueFormat="yyyy-mm-dd"');
      // Days since 1899-12-30.
      assert.ok(Math.abs(Number(row['0']?.text) - (46_353 + 845 / 1_440)) < 1e-6);
      assert.equal(row['1']?.kind, 'ValueType="60"');
      assert.deepEqual(row['2'], {kind: 'ValueType="60"', text: phones[lead.phone.typed]});
      assert.deepEqual(row['5'], {kind: 'ValueType="40"', text: '862000'});
    }
  },
);
