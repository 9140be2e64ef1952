/** `lead-prequal partners check`: says why the form does not work on a partner's page. */
import {readFileSync} from 'node:fs';
import {Command} from 'commander';
import {checkPage} from '../page-check/check.ts';
import {listVersions} from '../versions/embed-versions.ts';
import {jsonOption, print, printable, write} from './output.ts';
import {configured, configuredVersions, partnerNamed} from './configured.ts';

const usage = `
Save the page as the server of the site sends it (curl https://www.example.com/funding > page.html). A page that a browser
has saved shows what tag managers and optimisers have made of the snippet: check that, too.

In the browser itself, ?prequal-debug at the end of the page's address shows the state of the form.`;

type Options = {origin?: string; html?: string; csp?: string[]; json?: true};

export function checkCommand(): Command {
  return new Command('check')
    .description("say why the form does not work on a partner's page")
    .argument('<key>', 'the key of the partner')
    .option('--origin <origin>', 'the origin of the page, such as https://www.example.com')
    .option('--html <file>', 'the HTML of the page')
    .option(
      '--csp <policy>',
      'the Content-Security-Policy header of the page; give each header of several',
      (policy: string, others: string[] = []) => [...others, policy],
    )
    .addOption(jsonOption())
    .addHelpText('after', usage)
    .action(async (key: string, {origin, html, csp, json}: Options, command: Command) => {
      const config = configured();
      const {partners, publicUrl} = config;
      const partner = partnerNamed(key, config);
      if (!partner) return;
      if (origin === undefined && html === undefined && csp === undefined) {
        return command.error('error: give at least one of --origin, --html and --csp');
      }
      const page = {
        origin,
        html: html === undefined ? undefined : readFileOrStdin(html, command),
        policy: csp,
      };
      const versions = listVersions(configuredVersions(config));
      const findings = checkPage(partner, page, {publicUrl, partners, versions});
      for (const finding of findings) {
        if (json) await print(finding);
        else await write(`✗ ${finding.code}: ${shown(finding.wrong)}\n  ${shown(finding.fix)}\n`);
      }
      if (findings.length > 0) process.exitCode = 1;
      else if (!json) await write('✓ Nothing to correct.\n');
    });
}

function readFileOrStdin(file: string, command: Command): string {
  try {
    return decoded(readFileSync(file === '-' ? 0 : file));
  } catch (error) {
    return command.error(`error: --html ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** PowerShell on Windows writes what a command prints in UTF-16. The mark at the beginning of the file says so. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** Characters of a page that are shown, at most. */
const longest = 1_000;

const shown = (text: string) => printable(text).slice(0, longest);
