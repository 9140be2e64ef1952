/**
 * The destinations of the file, completed from the environment, and which names in the configuration are not theirs.
 */
import type {z} from 'zod';
import {routeOf} from './callers.ts';
import {viaFault} from './confirmations.ts';
import {mailSettings, type DestinationSettings, type Environs} from './destinations.ts';
import {routeFaults} from './routes.ts';
import type {SettingsReader} from './environment.ts';
import type {BusinessFile} from './file.ts';

/** Where the configuration is read. */
export type Sources = {
  reader: SettingsReader;
  adminUrl: string | undefined;
  file: BusinessFile;
  /** Gets a line for each setting that is wrong, or that a destination lacks. */
  faults: string[];
};
type Destinations = ReadonlyMap<string, DestinationSettings>;

export const readDestinations = (sources: Sources): Destinations =>
  new Map(
    Object.entries(sources.file.content.destinations).map(([name, complete]) => [
      name,
      complete(environs(['destinations', name], sources)),
    ]),
  );

/** Whom e-mails tell that a destination needs an operator, and by which mail server: that of the destinations. */
export function readAlerts(sources: Sources) {
  const {alerts_to: to} = sources.file.content;
  return to && {to, ...mailSettings(environs(['alerts_to'], sources))};
}

const environs = (entry: readonly string[], {faults, reader, adminUrl, file}: Sources): Environs => ({
  rounding: file.content.policy.display_rounding_increment,
  adminUrl,
  mailFrom: file.content.mail_from,
  partnerNames: Object.fromEntries(file.content.partners.map(({key, name}) => [key, name])),
  read<Value>(setting: string, schema: z.ZodType<Value>) {
    const value = reader.value(setting);
    if (value === undefined)
      faults.push(`${setting} is missing, which ${file.at(entry)}: ${entry.join('.')} needs`);
    const {data, error} = schema.safeParse(value ?? '');
    if (value !== undefined)
      faults.push(...(error?.issues ?? []).map(({message}) => `${setting} ${message}`));
    // With a fault, the configuration is refused as a whole, so nothing uses the value.
    return data as Value;
  },
  fault(field, message) {
    const path = field === 'mail_from' ? [field] : [...entry, field];
    faults.push(
      reader.names().includes(field)
        ? `${field} ${message}`
        : `${file.at(path)}: ${path.join('.')}: ${message}`,
    );
  },
});

/** A line for each name in a route or in `confirm` that is none of the destinations, or one of the wrong kind. */
export function wrongNames(file: BusinessFile, destinations: Destinations): string[] {
  const {partners, callers} = file.content;
  const at = (entry: readonly PropertyKey[], path: readonly PropertyKey[], fault: string) =>
    `${file.at([...entry, ...path])}: ${entry.join('.')}.${fault}`;
  return [
    ...partners.flatMap((partner, index) => {
      const wrongVia = viaFault(partner, destinations);
      const entry = ['partners', index];
      return [
        ...(wrongVia === undefined ? [] : [at(entry, ['confirm', 'via'], wrongVia)]),
        ...routeFaults(partner, destinations).map(({path, fault}) => at(entry, path, fault)),
      ];
    }),
    ...callers.flatMap((caller, index) =>
      routeFaults(routeOf(caller), destinations).map(({path, fault}) => at(['callers', index], path, fault)),
    ),
  ];
}
