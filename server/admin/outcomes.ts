/** What became of a lead after a call: recorded by those who call, and shown. */
import {randomUUIDv7} from 'node:crypto';
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import {formatMoney} from '../../form/format-money.ts';
import type {Config} from '../config/config.ts';
import {addressOf} from '../config/destinations.ts';
import {controls, lineBreak} from '../leads/hidden-characters.ts';
import {
  newestOf,
  outcomes,
  outcomeWords,
  standing,
  type NewestOutcome,
  type Outcome,
  type OutcomeEntry,
  type OutcomeStore,
} from '../leads/outcomes.ts';
import {isErased} from '../store/rows.ts';
import type {KeyStore} from '../leads/data-keys.ts';
import type {ReadStore} from '../leads/ports.ts';
import type {RevocationStore} from '../leads/revocation.ts';
import {count, isoTime, Refusal, time, type Job, type With} from './admin.ts';
import {recordOf} from './lead-names.ts';
import {planRevocation, revocation, revokeConsent, type Revoking} from './revocations.ts';

/** `undone_at`: when it was taken back, and its amount and note deleted. Null for what stands */
export const outcomeRow = z.object({
  at: time.nullable(),
  by: z.string(),
  outcome: z.enum(outcomes).nullable(),
  amount: count.nullable(),
  note: z.string().nullable(),
  undone_at: time.nullable(),
});
export type OutcomeRow = z.infer<typeof outcomeRow>;

export const toOutcomeRows = (entries: readonly OutcomeEntry[]): OutcomeRow[] =>
  entries
    .filter(({undoes}) => undoes === null)
    .map(({id, at, actor: by, outcome, amount, note}) => {
      const undone = entries.find(({undoes}) => undoes === id);
      return {at: isoTime(at), by, outcome, amount, note, undone_at: isoTime(undone?.at ?? null)};
    });

/** Such as `Funded, $150,000`. */
export const outcomeText = ({outcome, amount}: Pick<NewestOutcome, 'outcome' | 'amount'>): string =>
  `${outcomeWords[outcome][0]}${amount === null ? '' : `, ${formatMoney(amount, 'en-US')}`}`;

/** Outcomes after which somebody may want no more calls to the number. */
export const maySayStop = (outcome: Outcome | null | undefined): boolean =>
  outcome === 'not_interested' || outcome === 'wrong_number';

/** `undo`: takes back the last entry of the same actor. `id`: a repeat with the same id changes nothing */
export type OutcomeInput = {
  lead: string;
  outcome?: Outcome | undefined;
  amount?: number | undefined;
  text?: string | undefined;
  stop?: boolean | undefined;
  undo?: boolean | undefined;
  id?: string | undefined;
};

/** `outcome`: the one that stands now. `stopped`: what "consent revoke" did, if it was asked for */
export const recorded = z.object({
  reference: z.string(),
  outcome: z.enum(outcomes).nullable(),
  amount: count.nullable(),
  stopped: revocation.nullable(),
});
type Recorded = z.infer<typeof recorded>;

const plainNote = (text: string) =>
  text
    .replace(lineBreak, '\n')
    .replace(controls, (some) => some.replace(/[^\t\n]+/g, ''))
    .trim();

/** The webhooks that ask for what became of leads. */
const askedBy = ({destinations}: Config) =>
  [...destinations].flatMap(([destination, settings]) =>
    settings.type === 'webhook' && settings.events?.includes('lead.outcome')
      ? [{destination, address: addressOf(settings)}]
      : [],
  );

/** @throws Refusal if there is no such lead, it was erased, or there is nothing to take back */
export async function* recordOutcome(
  admin: With<ReadStore & KeyStore & RevocationStore & OutcomeStore, 'config' | 'noteAccess' | 'actor'>,
  {lead: named, outcome, amount, text, stop = false, undo = false, id = randomUUIDv7()}: OutcomeInput,
): Job<Revoking, Recorded> {
  const {store, config, noteAccess, actor} = admin;
  const record = await recordOf(admin, named);
  const {id: lead} = record;
  if (isErased(record)) throw new Refusal('The lead was erased: nothing is recorded of it any more.');
  await noteAccess({lead, undo, stop});
  await store.useKeys();
  const entriesNow = async () => (await store.outcomesOf([lead])).get(lead) ?? [];
  // All buttons of one page send the same id, so the outcome tells their entries apart.
  const entry = {
    id: `${id} ${undo ? 'undo' : (outcome ?? 'note')}`,
    lead,
    at: Date.now(),
    actor,
    outcome: outcome ?? null,
    undoes: null,
  };
  if (!undo)
    await store.addOutcome(
      {...entry, amount: amount ?? null, note: plainNote(text ?? '') || null},
      askedBy(config),
    );
  else {
    const before = await entriesNow();
    if (!before.some((each) => each.id === entry.id)) {
      const undoes = standing(before).findLast((each) => each.actor === actor)?.id;
      if (undoes === undefined) throw new Refusal('There is nothing of yours to take back.');
      await store.addOutcome({...entry, undoes, amount: null, note: null}, askedBy(config));
    }
  }
  const stopped = stop
    ? yield* revokeConsent(
        admin,
        await planRevocation(admin, {who: lead, partner: undefined, asked: undefined, way: 'phone'}),
      )
    : null;
  const newest = newestOf(await entriesNow());
  return {
    reference: referenceOf(lead),
    outcome: newest?.outcome ?? null,
    amount: newest?.amount ?? null,
    stopped,
  };
}
