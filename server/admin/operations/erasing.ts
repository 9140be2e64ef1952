/** Erases the personal data of leads. */
import {resolve} from 'node:path';
import {z} from 'zod';
import type {Config} from '../../config/config.ts';
import {filesAside} from '../../store/sqlite/files.ts';
import {idsOf, Refusal, type Admin} from '../admin.ts';
import {eraseLeads, erasedLead, planErasure, type ErasurePlan, type PlannedLead} from '../erasing.ts';
import {relativesOf} from '../persons.ts';
import {counted, dayOf, lasting, maxOthers, placed, timeOrNone} from '../words.ts';
import * as field from './fields.ts';
import {changes, type Plan, type PlanLine} from './operation.ts';
import {isPerson, notesOf, personFields, referencesOf, searchPerson} from './person.ts';
import {notOutOfFiles} from './progress.ts';

const consentRule = '16 CFR 310.5 asks for five years of records of consents, with name and telephone number';

function lineOf(lead: PlannedLead): PlanLine {
  const {id, reference, was_erased_at, created_at, partner, name} = lead;
  const erased = was_erased_at === null ? '' : `, erased ${timeOrNone(was_erased_at)}`;
  return {
    reference,
    head: `${reference} (${id}), received ${timeOrNone(created_at)}, ${partner ?? 'of a caller'}${erased}`,
    person: name,
    fields: erasureFields(lead),
  };
}

const whyIncluded = {
  named: '',
  duplicate: 'belongs to a lead that goes: one is a duplicate of the other',
  correction: 'belongs to a lead that goes: one corrects the other',
} as const satisfies Record<PlannedLead['because'], string>;

/** What erasing a lead removes, keeps and sends, as names and values. */
function erasureFields(lead: PlannedLead): [name: string, value: string][] {
  const {
    id,
    reference,
    because,
    unreadable,
    was_erased_at,
    has_consent,
    consent_kept_until,
    kept_for,
    kept_until,
  } = lead;
  const isErased = was_erased_at !== null;
  const whole =
    unreadable === null
      ? 'name, e-mail, telephone, answers, amounts, notes, hidden fields, where the visitor came from'
      : `everything but ids, times and partner. It cannot be read (${unreadable}), so no consent can be kept`;
  const consent = has_consent ? 'the kept consent, with name and telephone number' : 'nothing more';
  const left = lead.under_way_until === null ? 0 : Date.parse(lead.under_way_until) - Date.now();
  const kept = `the consent, with name and telephone number, until ${dayOf(consent_kept_until)}`;
  const sending = `a process may be sending it for up to ${lasting(left + 999)}; the others are told after that`;
  const fields: [string, string][] = [
    ['belongs', whyIncluded[because]],
    [
      'kept for',
      kept_for === null ? '' : `${kept_for}, until ${dayOf(kept_until)}: a lawsuit may ask for it`,
    ],
    ['goes', isErased ? (lead.changes ? consent : '') : whole],
    ['stays', consent_kept_until === null ? '' : kept],
    ['will be told', lead.told.join(', ')],
    ...(isErased ? [] : lead.remote_ids).map(({destination, remote_id}): [string, string] => {
      const known = remote_id === null ? 'perhaps, without an id that is known' : `as ${remote_id}`;
      return ['cannot be told', `${destination}, which has it ${known}: ask whoever runs it`];
    }),
    ...(isErased ? [] : lead.former).map(({last_used_at, ...former}): [string, string] => {
      const until = last_used_at === null ? '' : ` until ${dayOf(last_used_at)}`;
      const words = `write there "Delete what you have of ${reference}, ${id}"`;
      return ['cannot be told', `formerly ${placed(former)}${until}, which may have it: ${words}`];
    }),
    ['under way', left > 0 ? sending : ''],
  ];
  return fields.filter(([, value]) => value);
}

/** Says which consents are erased or kept, and why. */
function consentWords({leads, all}: ErasurePlan) {
  const withConsent = leads.filter(({has_consent}) => has_consent);
  if (withConsent.length === 0) return false;
  if (all)
    return `${counted(withConsent.length, 'consent')} of these go, too (--all), although ${consentRule}.`;
  const kept = withConsent.filter(({consent_kept_until}) => consent_kept_until !== null);
  return kept.length > 0
    ? `${counted(kept.length, 'consent')} of these stay (keep_consent_years): ${consentRule}. --all erases them, too.`
    : 'The time for which consents are kept is over, so they go, too.';
}

/** Names leads that may be of the same person and are not erased. */
async function relativeNotes(admin: Admin, {leads, ids}: ErasurePlan): Promise<string[]> {
  const others = await relativesOf(admin, [...new Set([...ids, ...idsOf(leads)])]);
  const note = (what: string, found: readonly string[]) =>
    found.length === 0 ? [] : [`Not among them, but with the same ${what}: ${referencesOf(found)}.`];
  return [...note('telephone number', others.phone), ...note('e-mail address', others.email)];
}

/** An operator must decide if a person asks to erase what a lawsuit may need, so the question names it, and `--yes` does not suffice. */
function asking({leads, ids}: ErasurePlan): Pick<Plan<never>, 'question' | 'unasked'> {
  if (ids.length === 0) return {};
  const question = `erase ${counted(ids.length, 'lead')} for ever`;
  const kept = leads.filter(({kept_for}) => kept_for !== null);
  if (kept.length === 0) return {question};
  const many = counted(kept.length, 'of them is', 'of them are');
  return {
    question: `${question}, although ${many} kept for a lawsuit`,
    unasked: `Nothing was erased: a lawsuit keeps ${referencesOf(idsOf(kept))}. Leave --yes away, which asks; or let --dry-run show which lawsuit, and say --confirm with the digest that it prints`,
  };
}

function remainsOf({databaseUrl, databasePath}: Config) {
  if (databaseUrl)
    return [
      'On PostgreSQL, the old rows stay in its files, its log and its backups until they are overwritten. What was encrypted cannot be read any more once its data key is destroyed (docs/privacy.md).',
    ];
  const older = filesAside(resolve(databasePath));
  return [
    older.length > 0 &&
      `Older copies beside the database still hold these leads, if they are older than the copies: ${older.join(', ')}. Delete those that you do not need.`,
    'Backups hold what was in the database when they were made (docs/privacy.md).',
  ];
}

export const erase = changes({
  words: 'leads erase',
  what: 'erase what is personal of leads, and tell those who had them',
  help: `Shows first what would go and to whom it went. Duplicates of a lead and its corrections go with it. The consent stays with
name and telephone number for keep_consent_years, unless there is --all, which can also be said later of an erased lead.
--json has the event for those that cannot be told otherwise.

Examples:
  lead-prequal leads erase K7QM-2XHD
  lead-prequal leads erase --email jane@example.com --all

Exit status: 0 erased; 1 not erased, or not out of the files yet; 2 the command line is wrong, or nobody can be asked.`,
  roles: ['admin'],
  past: 'erased {it}',
  planned: 'asked what erasing {it} would do',
  fields: {
    leads: {
      schema: z.array(z.string()),
      argument: true,
      many: true,
      what: 'the ids or the references of the leads',
    },
    ...personFields,
    all: field.flag('the consents that are kept, too'),
    shown: {
      schema: z.coerce.number().int().min(0).optional(),
      what: 'so many of the duplicates and corrections in the plan, at most',
      value: 'number',
    },
  },
  wrong: (input) =>
    input.leads.length > 0 === isPerson(input) ? 'name leads, or a person by --email or --phone' : undefined,
  confirm: {word: 'erase'},
  onLead: {
    button: 'Erase…',
    make: 'Erase for ever',
    isBad: true,
    cannot: 'It was erased before.',
    isPossible: (_, {erasedAt}) => erasedAt === null,
    input: (id) => ({leads: [id], shown: maxOthers}),
    ofMany: (leads) => [{leads, shown: maxOthers}],
  },
  async *plan(admin, {leads: named, all = false, shown, ...person}) {
    const found = isPerson(person) ? yield* searchPerson(admin, {}, person) : undefined;
    const notes = found ? notesOf(admin, found) : [];
    const ids = found ? idsOf([...found.found, ...(all ? found.kept : [])]) : named;
    if (ids.length === 0)
      throw new Refusal(
        [
          ...notes,
          found && found.kept.length > 0
            ? 'Only a consent is kept: --all erases it.'
            : 'No lead of this person can be read.',
        ].join('\n'),
        'unknown',
      );
    const plan = await planErasure(admin, {leads: ids, all, shown});
    const going = plan.ids.length;
    const hidden = going - plan.leads.filter(({changes: isGoing}) => isGoing).length;
    return {
      does: [
        ...plan.leads.map(lineOf),
        hidden > 0 &&
          `${counted(hidden, 'more lead that belongs to it goes', 'more leads that belong to it go')}, too.`,
      ],
      notes: [
        ...notes,
        ...(await relativeNotes(admin, plan)),
        consentWords(plan),
        going > 0 &&
          admin.config.erasuresFile === undefined &&
          'There is no erasures_file: after a restore of an older backup, these leads are back.',
      ],
      facts: plan.facts,
      prepared: plan,
      ...asking(plan),
    };
  },
  async *run(admin, _, plan) {
    return {...plan, ...(yield* eraseLeads(admin, plan))};
  },
  line: erasedLead,
  lines: ({leads, out_of_files}) => leads.map((each) => erasedLead.parse({...each, out_of_files})),
  said({leads, out_of_files}, _, {config}) {
    const references = leads.map(({reference}) => reference).join(' ');
    return {
      said: leads.map(
        ({reference, changes: isGoing}) =>
          out_of_files && `${reference} ${isGoing ? 'is erased' : 'was erased before'}`,
      ),
      fails: [!out_of_files && notOutOfFiles(`leads erase ${references}`)],
      remarks: remainsOf(config),
    };
  },
});
