/**
 * `lead-prequal partners check`: whether the pages of an origin may use the form of a partner, and which version of the
 * form pages should pin. The form itself says in the browser what is wrong on its page (`?prequal-debug`).
 */
import {Command, Option} from 'commander';
import {paths} from '../../contract/api.ts';
import {readConfig, type Config} from '../config/config.ts';
import {origin as originSchema} from '../config/origins.ts';
import {allowsOrigin, type Partner} from '../config/partners.ts';
import {newestVersion, type EmbedVersion} from '../versions/embed-versions.ts';
import {configuredVersions, partnerNamed} from './configured.ts';
import {jsonOption, printable, type Run} from './output.ts';
import {advisoryNotes} from './versions.ts';

const usage = `
✗ is a finding, something to correct: the exit status is 1 then. · is a note. --json prints only the findings.

If the form does not appear on a page, open the page with ?prequal-debug at the end of its address.`;

const goneOptions =
  'error: --html and --csp no longer exist: open the page in a browser with ?prequal-debug at the end of its address, look into the console of the browser, and read "If nothing appears" in docs/embedding.md';

type Options = {origin?: string; html?: unknown; csp?: unknown; json?: true};

export function checkCommand(run: Run): Command {
  return new Command('check')
    .description('say whether pages of an origin may use the form of a partner, and which version to pin')
    .argument('<key>', 'the key of the partner')
    .option('--origin <origin>', 'the origin of the page, such as https://www.example.com')
    .addOption(jsonOption())
    .addOption(new Option('--html [file]').hideHelp())
    .addOption(new Option('--csp [policy]').hideHelp())
    .addHelpText('after', usage)
    .action(async (key: string, {origin, html, csp, json}: Options, command: Command) => {
      if (html !== undefined || csp !== undefined) return command.error(goneOptions);
      const config = readConfig(run.environment);
      const partner = partnerNamed(key, config);
      const versions = configuredVersions(config);
      const findings = [
        ...(origin === undefined ? [] : originFindings(origin, partner, config)),
        ...versionFindings(versions),
      ];
      if (findings.length > 0) run.status = 1;
      if (json) {
        for (const finding of findings) await run.print(finding);
        return;
      }
      for (const {code, wrong, fix, line} of findings) {
        const lines = [`✗ ${code}: ${wrong}`, `  ${fix}`, ...(line === undefined ? [] : [`  ${line}`])];
        await run.write(lines.map((text) => `${text}\n`).join(''));
      }
      for (const note of versionNotes(versions)) await run.write(`· ${note}\n`);
      if (findings.length === 0) await run.write('✓ Nothing to correct.\n');
    });
}

/**
 * Something to correct, in sentences for the operator. `line` is what to write into the partners file or the settings.
 */
type Finding = {code: string; wrong: string; fix: string; line?: string};

function originFindings(origin: string, partner: Partner, config: Config): Finding[] {
  const {key} = partner;
  if (origin === 'null') {
    return [
      {
        code: 'origin-null',
        wrong:
          'The origin "null" could be any page: it is that of a sandboxed frame, and of a page that was opened as a file.',
        fix: `Add allow-same-origin to the sandbox of the frame, open the page from a web server, or link to ${config.publicUrl}${paths.apply}/${key}.`,
      },
    ];
  }
  // A wildcard may be listed, but no page has it as its origin.
  if (origin.includes('*') || !originSchema.safeParse(origin).success) {
    const meant = URL.parse(origin.replace('*', 'www'))?.origin ?? 'null';
    return [
      {
        code: 'origin-invalid',
        wrong: `"${printable(origin)}" is not the origin of a page.`,
        fix: `Give scheme and host without a path, such as ${meant === 'null' ? 'https://www.example.com' : meant}.`,
      },
    ];
  }
  if (allowsOrigin(partner, origin) || origin === new URL(config.publicUrl).origin) return [];
  return [
    {
      code: 'origin-not-listed',
      wrong: `${origin} is not among the origins of "${key}": ${partner.origins.join(', ')}.`,
      ...listing([...partner.origins, origin], partner, config),
    },
  ];
}

/** How the operator lists these origins for the partner. */
function listing(origins: readonly string[], {key}: Partner, {partnersFile}: Config) {
  if (partnersFile === undefined)
    return {
      fix: 'Set EMBED_ORIGINS to this, and restart the server:',
      line: `EMBED_ORIGINS=${origins.join(',')}`,
    };
  return {
    fix: `Replace "origins" of "${key}" in ${printable(partnersFile)} by this line, and run "lead-prequal reload":`,
    line: `"origins": [${origins.map((each) => JSON.stringify(each)).join(', ')}]`,
  };
}

export function versionFindings(versions: readonly EmbedVersion[]): Finding[] {
  const newest = newestVersion(versions);
  if (!newest) {
    return [
      {
        code: 'no-version',
        wrong: 'The server has no version of the form, so no page can show it.',
        fix: 'Run "npm run build".',
      },
    ];
  }
  const {security} = newest.advisory;
  if (security === undefined) return [];
  return [
    {
      code: 'security-fault',
      wrong: `${newest.name}, which pages should pin, has a security fault: ${security}`,
      fix: 'Upgrade the server, so that pages can pin a version without the fault.',
    },
  ];
}

/** Which version pages should pin, and which versions they should not. */
export function versionNotes(versions: readonly EmbedVersion[]): string[] {
  const newest = newestVersion(versions);
  const known = versions.flatMap(({name, advisory}) => advisoryNotes({version: name, ...advisory}));
  return [
    ...(newest ? [pinNote(newest)] : []),
    ...known,
    ...(known.length > 0 ? ['"lead-prequal versions list" says whose pages ask for which version.'] : []),
  ];
}

const pinNote = ({name, released}: EmbedVersion) =>
  released
    ? `Pages should pin ${name}, the newest release that is not withdrawn.`
    : `Pages should not pin a version yet. The newest, ${name}, is a build, which the next build may change.`;
