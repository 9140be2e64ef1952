/** Commands of operators about destinations and deliveries. Those that take their time are in commands.ts. */
import {addressOf} from '../../server/config/destinations.ts';
import {openStates, type DeliveryRow} from '../../server/leads/deliveries.ts';
import type {AttachedStore} from '../../server/leads/ports.ts';
import type {Encryptor} from '../../server/store/encryption.ts';
import {openAttachedSqlite} from '../../server/store/sqlite/store.ts';
import {time} from './clock.ts';
import {addressesUnder, destinationsUnder} from './configurations.ts';
import {path} from './data-folder.ts';
import {nameOf, type Command, type Creation, type Fact} from './history.ts';
import type {ConfigurationName, To} from './plan.ts';

/** What the commands ask of their history. */
export type AroundOrders = {
  record: (fact: Fact) => void;
  failed: (error: unknown) => void;
  /** The acknowledged lead with this content, if any. */
  leadWith: (content: number) => string | undefined;
  creations: readonly Creation[];
  /** What the files say that the command reads. */
  configuration: () => ConfigurationName;
  encryptor: () => Encryptor;
};

/** What an operator does with a command that takes no time, straight on the store. */
export async function order(operation: To<Command['name']>, around: AroundOrders) {
  const command: Command = {
    type: 'command',
    at: time(),
    until: Infinity,
    name: operation.do,
    deliveries: [],
  };
  around.record(command);
  const store = await openAttachedSqlite(path, around.encryptor(), true);
  try {
    command.deliveries = await carryOut(operation, store, command, around);
  } catch (error) {
    around.failed(error);
  } finally {
    command.until = time();
    await store.close();
  }
}

/** @returns the deliveries that the command changes, or may change */
async function carryOut(
  operation: To<Command['name']>,
  store: AttachedStore,
  command: Command,
  around: AroundOrders,
): Promise<string[]> {
  const now = Date.now();
  if (operation.do === 'pause' || operation.do === 'resume') {
    const {destination} = operation;
    command.destination = destination;
    if (operation.do === 'resume') await store.resumeDestination(now, destination);
    else await store.pauseDestination({destination, pausedAt: now, reason: 'an operator paused it'});
    return [];
  }
  if (operation.do === 'accept') {
    const {destination} = operation;
    const files = around.configuration();
    const settings = destinationsUnder(files).get(destination);
    if (!settings) return [];
    Object.assign(command, {destination, address: addressesUnder(files)[destination]});
    await store.acceptAddress(now, destination, addressOf(settings));
    return [];
  }
  const lead = operation.content === undefined ? undefined : around.leadWith(operation.content);
  if (operation.do === 'settle') {
    const known = around.creations.find((one) => one.lead === lead && one.destination === 'lender');
    if (!lead || !known) return [];
    const settled = await store.settleAs(now, {lead, destination: 'lender'}, known.id);
    return settled === 'settled' ? [nameOf({lead, destination: 'lender', content: 'lead'})] : [];
  }
  if (operation.content !== undefined && !lead) return [];
  const {destination, state} = operation;
  const filter = {lead, destination, state};
  if (operation.do === 'drop') {
    const dropped = () => store.listDeliveries(1_000, {...filter, state: 'dropped'});
    const before = new Set((await dropped()).map(nameOf));
    command.isOfStops = operation.stops;
    await store.dropDeliveries(now, {...filter, stops: operation.stops});
    return (await dropped()).map(nameOf).filter((name) => !before.has(name));
  }
  // What the docs say of `retry`: nothing under way, held deliveries only if the command names them, and a lead that has
  // been delivered or dropped never.
  const mayRetry = ({leasedUntil, state: itsState, content}: DeliveryRow) =>
    leasedUntil <= now &&
    (itsState !== 'held' || state !== undefined || lead !== undefined) &&
    (content !== 'lead' || isOpen(itsState));
  const named = (await store.listDeliveries(1_000, filter)).filter(mayRetry).map(nameOf);
  await store.retryDeliveries(now, filter);
  return named;
}

const isOpen = (state: DeliveryRow['state']) => (openStates as readonly string[]).includes(state);
