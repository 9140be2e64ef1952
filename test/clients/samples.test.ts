/**
 * The samples of docs/api.md, each run as its reader runs it, against a running server. Samples whose language is not
 * installed are skipped. `REQUIRE_SAMPLES=1` needs all languages.
 */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {findProgram, missing, notInstalled, skipUnless} from '../support/installed.ts';
import {makeProject, runIn} from '../support/npm-project.ts';
import {acme, startTestServer} from '../support/test-server.ts';

type Sample = {
  language: string;
  file: string;
  /** What runs it; each step begins with a program. */
  steps: readonly (readonly string[])[];
  /** The programs are not installed where the tests usually run. */
  isRare?: true;
};

const samples: readonly Sample[] = [
  {language: 'sh', file: 'leads.sh', steps: [['sh', 'leads.sh']]},
  {language: 'python', file: 'leads.py', steps: [['python3', 'leads.py']]},
  {language: 'php', file: 'leads.php', steps: [['php', 'leads.php']]},
  {language: 'ruby', file: 'leads.rb', steps: [['ruby', 'leads.rb']]},
  {language: 'java', file: 'Leads.java', steps: [['java', 'Leads.java']], isRare: true},
  {
    language: 'csharp',
    file: 'leads.cs',
    steps: [
      ['mcs', '-r:System.Net.Http.dll', 'leads.cs'],
      ['mono', 'leads.exe'],
    ],
    isRare: true,
  },
  {language: 'go', file: 'leads.go', steps: [['go', 'run', 'leads.go']], isRare: true},
];

const document = readFileSync('docs/api.md', 'utf8');
const [, quickStart = ''] = /^## Quick start\n(.*?)^## /ms.exec(document) ?? [];
const codeIn = (text: string, language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? '';
/** What the guide says that reading the lead gives. */
const expected = JSON.parse(codeIn(document.slice(document.indexOf('\n## Read\n')), 'json')) as object;

/** Why a sample cannot run here; false if it can. */
function missingFor({steps, isRare}: Sample): string | false {
  const program = steps.map(([first = '']) => first).find((name) => !findProgram(name));
  if (program === undefined) return false;
  const skip = skipUnless('REQUIRE_SAMPLES', notInstalled(program));
  return isRare ? skip : missing(program);
}

const server = await startTestServer();
after(() => server.close());

suite('each sample of the guide creates a lead and reads its amounts', () => {
  test('the guide has no other sample', () => {
    const languages = [...quickStart.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
    // The last one shows how a generated client begins (generated.test.ts).
    assert.deepEqual(languages, [...samples.map(({language}) => language), 'ts']);
  });
  for (const sample of samples) {
    const {language, file, steps} = sample;
    const run = async (folder: string, password: string) => {
      const environment = {
        LEAD_USER: acme.user,
        LEAD_PASSWORD: password,
        HOME: folder,
        GO111MODULE: 'off',
        GOCACHE: join(folder, 'cache'),
      };
      let output = '';
      for (const step of steps) output = await runIn(folder, step, environment);
      return output;
    };
    test(
      `in ${language}, and says what is wrong when the password is`,
      {skip: missingFor(sample)},
      async (t) => {
        const folder = makeProject(t, {});
        const code = codeIn(quickStart, language)
          .replaceAll('https://leads.example.com', server.url)
          .replaceAll('lead-for-order-1234', `lead-of-sample-in-${language}`);
        writeFileSync(join(folder, file), code);
        const begun = performance.now();
        assert.deepEqual(JSON.parse(await run(folder, acme.password)), expected);
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        t.diagnostic(`| ${language} | ${code.trimEnd().split('\n').length} lines | ${seconds} s |`);
        await assert.rejects(run(folder, 'wrong'), /unauthorized|401/);
      },
    );
  }
});
