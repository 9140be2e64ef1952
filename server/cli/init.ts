/** `lead-prequal init`: asks what a new installation needs, and writes its files. */
import {Command} from 'commander';
import type {z} from 'zod';
import {Refusal} from '../admin/admin.ts';
import {
  answersBeside,
  draftFor,
  none,
  placesFor,
  tryMail,
  usualPages,
  whereItLeads,
  writeAll,
  type Question,
} from '../admin/setup.ts';
import {isPrivateHost} from '../config/destinations.ts';
import {ownCommand} from '../config/environment.ts';
import {inWords} from '../config/values.ts';
import {snippetForTerminal} from '../snippets/terminal.ts';
import {readVersions} from '../versions/embed-versions.ts';
import {lineColumns, type Run} from './output.ts';

/** In the order in which they are asked. Each is an option, too. */
const questions: Readonly<Record<Question, string>> = {
  url: 'Address of this server, as browsers will reach it, such as leads.example.com',
  business: 'Name of the business, as people will read it',
  website: 'Page that will have the form',
  contact: 'Phone or e-mail address for visitors',
  mailbox: 'Mailbox for leads',
  mailServer: 'Mail server',
  mailUser: 'User of the mail server',
  days: 'Days to keep a lead',
  pages: 'Address of your own pages',
};
const names = Object.keys(questions) as Question[];
const numbered: readonly Question[] = names.filter((name) => name !== 'mailUser');
/** A test mail says whether these answers are right. */
const tested: readonly Question[] = ['mailServer', 'mailUser'];
/** The other questions have a usual answer. */
const required: readonly Question[] = ['url', 'business', 'website', 'contact', 'mailbox'];

const optionOf = (name: Question) => `--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`;

const usage = `
It asks for what no option says, and writes lead-prequal.json and lead-prequal.env at its end, never over files that are there.
Without a terminal, the password of the mail server is a line of standard input. With DATABASE_URL in the environment, the
file has it, too.

Example:
  lead-prequal init --url leads.example.com --business "Acme Funding" --website www.example.com \\
    --contact "(415) 555-0132" --mailbox sales@example.com --mail-server mail.example.com < password`;

type Options = {[Name in Question]?: string} & {testMail: boolean};

export function initCommand(run: Run): Command {
  const init = new Command('init').description('ask what a new installation needs, and write its files');
  for (const name of names) init.option(`${optionOf(name)} <answer>`, questions[name]);
  return init
    .option('--no-test-mail', 'send no test mail')
    .addHelpText('after', usage)
    .action((options: Options) => initialize(run, options));
}

async function initialize(run: Run, {testMail, ...options}: Options) {
  const places = placesFor(run.environment);
  const given = new Map(Object.entries(options) as [Question, string][]);
  const missing = required.filter((name) => !given.has(name)).map(optionOf);
  if (!run.ask && missing.length > 0)
    throw new Refusal(`There is no terminal to ask on: add ${missing.join(', ')}`);

  const answer = interview(run, given);
  const {ask, say} = run;
  const isAsked = ask && names.some((name) => !given.has(name));
  if (isAsked) say('Eight questions. Enter takes what stands in [ ]. It writes at the end only.\n');
  const url = await answer('url', answersBeside().url);
  const checks = answersBeside(url);
  const answers = {
    url,
    business: await answer('business', checks.business),
    website: await answer('website', checks.website),
    contact: await answer('contact', checks.contact),
    ...(await answerMail(run, {given, answer, testMail})),
    days: await answer('days', checks.days, '365'),
    pages: await answer('pages', checks.pages, usualPages(url)),
  };

  const {files, config} = draftFor(answers, places);
  const texts = Object.entries(config.partners[0].consent?.texts ?? {});
  const consents = texts.map(([tag, {text}]) => [tag, text] as const);
  await run.write(
    '\nThe consent, from a template. Let your counsel read it.\nWithout its tick, the form cannot be sent (consent.required):\n',
  );
  await run.printFields(consents, lineColumns);
  await run.write('\nWill be written:\n');
  await run.printFields(files.map(({path, holds}) => [path, holds]));
  if (isAsked) {
    const agreed = await ask('Write? [yes]: ');
    if (agreed === undefined || !/^(y(es)?)?$/i.test(agreed.trim())) throw ended();
  }
  writeAll(files);
  await run.write('✓ Written.\n');
  await run.writeUnchanged(snippetForTerminal(config, readVersions(config)));
  const invites = config.admin && `, which prints the link to ${config.admin.url} for its first operator`;
  await run.write(`\nNow start it: ${ownCommand('serve')}${invites ?? ''}\n`);
}

const ended = () => new Refusal('Nothing was written.');

type Given = Map<Question, string>;
type Answer = string | number | object | undefined;

/** Asks for an answer until it is right. An option goes before, and the usual answer where nobody can be asked. */
const interview =
  ({ask, say}: Run, given: Given) =>
  async <Value extends Answer>(name: Question, check: z.ZodType<Value>, usual?: string): Promise<Value> => {
    const number = numbered.includes(name) ? numbered.indexOf(name) + 1 : ' ';
    const question = `${number}  ${questions[name]}${usual === undefined ? '' : ` [${usual}]`}: `;
    for (;;) {
      const option = given.get(name) ?? (ask ? undefined : usual);
      const typed = option ?? (await ask?.(question));
      if (typed === undefined) throw ended();
      const {data, error} = check.safeParse(typed.trim() || usual, {error: inWords});
      if (!error) {
        if (ask && option === undefined && !tested.includes(name)) say(`   ✓ ${await shown(name, data)}`);
        return data;
      }
      const wrong = error.issues[0]?.message;
      if (!ask) throw new Refusal(`${optionOf(name)} ${wrong}`);
      say(`   ✗ ${option === undefined ? '' : `${optionOf(name)} `}${wrong}`);
      given.delete(name);
    }
  };

/** An answer as it was understood, and of an address, where its name leads. */
async function shown(name: Question, answer: Answer): Promise<string> {
  const text = typeof answer === 'object' ? Object.values(answer).join(', ') : String(answer ?? none);
  const isAddress = (name === 'url' || name === 'pages') && text !== none;
  return isAddress ? `${text}; ${await whereItLeads(text)}` : text;
}

type Interview = {given: Given; answer: ReturnType<typeof interview>; testMail: boolean};

/** Asks for the mailbox and the mail server, and again for what a test mail shows to be wrong. */
async function answerMail(run: Run, {given, answer, testMail}: Interview) {
  const checks = answersBeside();
  const askServer = async (first: string | undefined) => {
    const mailServer = await answer('mailServer', checks.mailServer, 'localhost:25');
    const isNear = mailServer.every((url) => isPrivateHost(new URL(url).hostname));
    const mailUser = await answer('mailUser', checks.mailUser, isNear ? none : first);
    return {mailServer, mailUser, password: mailUser === undefined ? '' : await askPassword(run)};
  };
  const mailbox = await answer('mailbox', checks.mailbox);
  let access = {mailbox, ...(await askServer(mailbox[0]))};
  for (;;) {
    const {mail, wrong, text} = await tryMail(access, testMail);
    if (run.ask && testMail) run.say(`   ${wrong ? '✗' : '✓'} ${text}`);
    if (!wrong) return {mailbox: access.mailbox, mail};
    if (!run.ask) throw new Refusal(`${text}. Nothing was written.`);
    for (const name of ['mailbox', 'mailServer', 'mailUser'] as const) given.delete(name);
    if (wrong === 'mailbox') {
      access = {...access, mailbox: await answer('mailbox', checks.mailbox)};
    } else {
      if (wrong === 'mailServer' && /^y/i.test((await run.ask('   Go on without a test mail? [no]: ')) ?? ''))
        return {mailbox: access.mailbox, mail};
      const password =
        wrong === 'password' ? await askPassword(run, 'Password again, or Enter for another server') : '';
      access = {...access, ...(password ? {password} : await askServer(access.mailbox[0]))};
    }
  }
}

async function askPassword({ask, readLine}: Run, question = 'Password'): Promise<string> {
  const password = await (ask ? ask(`   ${question}: `, true) : readLine?.());
  if (password !== undefined) return password;
  if (ask) throw ended();
  throw new Refusal('The password of the mail server is missing: give it as a line of standard input');
}
