/** The samples of docs/api.md, each run as its reader runs it, against a running server. */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {missing} from '../support/installed.ts';
import {makeProject, runIn} from '../support/npm-project.ts';
import {acme, startTestServer} from '../support/test-server.ts';

/** What runs the file of a sample, by the language of its block. */
const samples = {
  sh: {file: 'leads.sh', program: 'sh'},
  python: {file: 'leads.py', program: 'python3'},
  php: {file: 'leads.php', program: 'php'},
};

const document = readFileSync('docs/api.md', 'utf8');
const [, quickStart = ''] = /^## Quick start\n(.*?)^## /ms.exec(document) ?? [];
const codeIn = (text: string, language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? '';
/** What the guide says that reading the lead gives. */
const expected = JSON.parse(codeIn(document.slice(document.indexOf('\n## Read\n')), 'json')) as object;

const server = await startTestServer();
after(() => server.close());

suite('each sample of the guide creates a lead and reads its amounts', () => {
  test('the guide has no other sample', () => {
    const languages = [...quickStart.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
    // The last one shows how a generated client begins (generated.test.ts).
    assert.deepEqual(languages, [...Object.keys(samples), 'ts']);
  });
  for (const [language, {file, program}] of Object.entries(samples)) {
    test(
      `in ${language}, and says what is wrong when the password is`,
      {skip: missing(program)},
      async (t) => {
        const folder = makeProject(t, {});
        const run = (password: string) =>
          runIn(folder, [program, file], {LEAD_USER: acme.user, LEAD_PASSWORD: password, HOME: folder});
        const code = codeIn(quickStart, language)
          .replaceAll('https://leads.example.com', server.url)
          .replaceAll('lead-for-order-1234', `lead-of-sample-in-${language}`);
        writeFileSync(join(folder, file), code);
        assert.deepEqual(JSON.parse(await run(acme.password)), expected);
        await assert.rejects(run('wrong'), /unauthorized|401/);
      },
    );
  }
});
