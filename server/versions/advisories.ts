/**
 * The known faults of versions of the form. `releases/advisories.json` is part of the repository and names those of
 * releases. With `withdrawn_versions`, an operator can withdraw further versions.
 */
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {z} from 'zod';
import {readOwnJsonFile} from '../config/files.ts';
import {versionNumber} from '../config/values.ts';

/**
 * A sentence for people, in one line. Partners read it in `/embed/versions.json`, and it is in a comment of JavaScript.
 */
const sentence = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must be one line of text');

const advisorySchema = z
  .strictObject({
    /** Why the version is not served any more. */
    withdrawn: sentence.exactOptional(),
    /** The security fault that the version has. */
    security: sentence.exactOptional(),
    /** The first version without that fault. */
    fixed_in: versionNumber.exactOptional(),
    /** The security fault of the plugin for WordPress alone. Pages that have the form without it are not concerned. */
    plugin: z.strictObject({security: sentence, fixed_in: versionNumber.exactOptional()}).exactOptional(),
  })
  .refine(
    ({withdrawn, security, plugin}) => withdrawn ?? security ?? plugin,
    'must have withdrawn or security, or plugin',
  );

/** The content of `advisories.json`: an advisory for each version that needs one. */
const fileSchema = z.record(versionNumber, advisorySchema, {
  error: ({code}) => (code === 'invalid_key' ? 'is not an exact version such as 1.0.0' : undefined),
});

/** Every field may be missing. Most versions have none of them. */
export type Advisory = z.output<typeof advisorySchema>;

const byOperator = 'The operator of this server has withdrawn this version.';

/**
 * @param releasesFolder its file of advisories may be missing
 * @param withdrawnVersions the versions that the operator has withdrawn
 * @param known the numbers of all versions of the form that the server has
 * @param plugins the numbers of all versions of the plugin for WordPress that it has
 * @throws Error when the file is wrong, or when a version that is named does not exist
 */
export function readAdvisories(
  releasesFolder: string,
  withdrawnVersions: readonly string[],
  known: readonly string[],
  plugins: readonly string[],
): ReadonlyMap<string, Advisory> {
  const path = join(releasesFolder, 'advisories.json');
  const published = existsSync(path) ? readOwnJsonFile(path, fileSchema) : {};
  const unknownIn = (names: readonly (string | undefined)[], all = known) =>
    names.filter((name) => name !== undefined && !all.includes(name));
  const unknownAdvised = Object.entries(published)
    .flatMap(([name, {plugin, ...form}]) => [
      ...unknownIn(Object.keys(form).length > 0 ? [name, form.fixed_in] : []),
      ...unknownIn(plugin ? [name, plugin.fixed_in] : [], plugins),
    ])
    .join(', ');
  if (unknownAdvised) throw new Error(`${path} names ${unknownAdvised}, which this server does not have.`);
  const unknownWithdrawn = unknownIn(withdrawnVersions).join(', ');
  if (unknownWithdrawn) {
    throw new Error(
      `withdrawn_versions names ${unknownWithdrawn}, which this server does not have. It has ${known.join(', ')}.`,
    );
  }

  const advisories = new Map<string, Advisory>(Object.entries(published));
  for (const name of withdrawnVersions) {
    advisories.set(name, {withdrawn: byOperator, ...advisories.get(name)});
  }
  return advisories;
}
