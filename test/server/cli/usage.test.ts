/** Command lines that are wrong are answered with the usage, and with status 2. */
import assert from 'node:assert/strict';
import {after, suite, test} from 'node:test';
import {runCommand} from '../../support/operator.ts';
import {serviceSettings} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';

/** Their words after the name of the command. */
const wrong: Record<string, readonly string[]> = {
  deliveries: [
    ...['', 'retry', 'drop', 'lists', 'retry --since yesterdays', 'list --state lost'],
    ...['settle', 'settle K7QM-2XHD', 'settle K7QM-2XHD --taken-as='],
  ],
  destinations: ['', 'test', 'pause', 'resume', 'lists', 'list --wide'],
  leads: [
    ...['show', 'list --since soon', 'list --limit 0', 'count --by colour', 'list --state lost'],
    ...['list --since today --until yesterday', 'list --reference U'],
  ],
  partners: ['', 'snippet', 'snippet acme --host geocities', 'snippet acme --colour red'],
  versions: ['list --days 91', 'list --days 0.5', 'lists'],
};

suite('a wrong command line', () => {
  const settings = serviceSettings(temporaryFolder({after}));
  for (const [command, lines] of Object.entries(wrong)) {
    test(`a wrong command line of ${command} is answered with the usage and status 2`, async () => {
      for (const line of lines) {
        const words = [command, ...line.split(' ').filter(Boolean)];
        const {code, stdout, stderr} = await runCommand(settings, ...words);
        assert.deepEqual([code, stdout], [2, ''], words.join(' '));
        assert.match(stderr, /^Usage:/m);
      }
    });
  }
});
