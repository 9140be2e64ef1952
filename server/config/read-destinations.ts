/**
 * The destinations of the partners file, completed from the environment, and which names in the configuration are not
 * theirs.
 */
import type {z} from 'zod';
import {routeOf} from './callers.ts';
import {viaFault} from './confirmations.ts';
import {
  defaultDestination,
  destinationKinds,
  routeFaults,
  type DestinationSettings,
  type Environs,
} from './destinations.ts';
import {jsonSetting, type SettingsReader} from './environment.ts';
import type {PartnersFile} from './partners.ts';
import type {Settings} from './settings.ts';

/** Where the configuration is read. What cannot be read, or is wrong, is undefined. */
export type Sources = {
  reader: SettingsReader;
  settings: Settings | undefined;
  partnersFile: PartnersFile | undefined;
  rounding: number;
  /** There is a partners file, but nobody knows what is in it. */
  isUnread: boolean;
  /** Gets a line for each setting that is wrong, or that a destination lacks. */
  faults: string[];
  /** Gets a line for each field that is probably a mistake. */
  warnings: string[];
};
type Destinations = ReadonlyMap<string, DestinationSettings>;

/** The place of a field, as the beginning of a message. */
export const inPartnersFile = (file: PartnersFile | undefined, path: readonly PropertyKey[]) =>
  `PARTNERS_FILE ${file?.at(path)}`;

export function readDestinations(sources: Sources): Destinations {
  const {settings, partnersFile} = sources;
  const destinations = new Map<string, DestinationSettings>(
    Object.entries(partnersFile?.content.destinations ?? {}).map(([name, complete]) => [
      name,
      complete(environs(name, sources)),
    ]),
  );
  const upstream = settings && upstreamOf(settings);
  if (upstream) destinations.set(defaultDestination, upstream);
  return destinations;
}

/** Whom e-mails tell that a destination needs an operator, and by which mail server: that of the destinations. */
export function readAlerts(sources: Sources) {
  const to = sources.settings?.ALERTS_TO;
  if (!to) return undefined;
  const read = destinationKinds.email.parse({type: 'email', to});
  const {smtpUrl, from} = read(environs('ALERTS_TO', sources));
  return {to, smtpUrl, from};
}

const environs = (name: string, {faults, warnings, ...sources}: Sources): Environs => ({
  rounding: sources.rounding,
  adminUrl: sources.settings?.ADMIN_URL ?? sources.reader.value('ADMIN_URL'),
  partnerNames: Object.fromEntries(
    (sources.partnersFile?.content.partners ?? []).map((partner) => [partner.key, partner.name]),
  ),
  read<Value>(setting: string, schema: z.ZodType<Value>) {
    const value = sources.reader.value(setting);
    const who = name === 'ALERTS_TO' ? name : `the destination ${name} of PARTNERS_FILE`;
    if (value === undefined) faults.push(`${setting} is missing, which ${who} needs`);
    const {data, error} = schema.safeParse(value ?? '');
    if (value !== undefined)
      faults.push(...(error?.issues ?? []).map(({message}) => `${setting} ${message}`));
    // With a fault, the configuration is refused as a whole, so nothing uses the value.
    return data as Value;
  },
  internalHosts: sources.settings?.WEBHOOK_INTERNAL_HOSTS,
  fault(field, message) {
    const path = ['destinations', name, field];
    faults.push(
      sources.reader.names().includes(field)
        ? `${field} ${message}`
        : `${inPartnersFile(sources.partnersFile, path)}: ${path.join('.')}: ${message}`,
    );
  },
  doubt(field, message) {
    const path = ['destinations', name, field];
    warnings.push(`${inPartnersFile(sources.partnersFile, path)}: ${path.join('.')} ${message}`);
  },
});

/** The destination that the UPSTREAM_… settings describe. */
function upstreamOf({
  UPSTREAM_URL: url,
  UPSTREAM_USER: user,
  UPSTREAM_PASSWORD: password,
  UPSTREAM_CID: cid,
}: Settings) {
  if (!url || !user || !password || !cid) return undefined;
  return {
    type: 'lead-api' as const,
    url,
    user,
    password,
    cid,
    attributionInNotes: false,
  };
}

/** A line for each name in a route or in `confirm` that is none of the destinations, or one of the wrong kind. */
export function wrongNames(
  {reader, settings, partnersFile, isUnread}: Sources,
  destinations: Destinations,
): string[] {
  const ofPartners = (partnersFile?.content.partners ?? []).flatMap((partner, index) => {
    const at = (path: readonly PropertyKey[], fault: string) =>
      `${inPartnersFile(partnersFile, ['partners', index, ...path])}: partners.${index}.${fault}`;
    const wrongVia = viaFault(partner, destinations);
    return [
      ...(wrongVia === undefined ? [] : [at(['confirm', 'via'], wrongVia)]),
      ...routeFaults(partner, destinations).map(({path, fault}) => at(path, fault)),
    ];
  });
  // Without the destinations of an unread file, the names may be right.
  const ofCallers = (isUnread ? [] : (settings?.CALLERS ?? [])).flatMap((caller, index) =>
    routeFaults(routeOf(caller, undefined), destinations).map(
      ({path, fault}) => `CALLERS.${index}.${fault}${reader.whereInJson(jsonSetting, [index, ...path])}`,
    ),
  );
  return [...ofPartners, ...ofCallers];
}
