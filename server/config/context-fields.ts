/** The hidden fields that pages of a partner may send with a lead, as the file lists them. */
import {z} from 'zod';
import {contextName} from '../../contract/embed.ts';

/** How many a partner may list. Each is a column of the export. */
const maxFields = 10;

export const fieldName = z
  .string('must be a name, or an object with a name')
  .regex(
    contextName,
    'must be at most 40 lower-case letters, digits, dashes and underscores, and begin with a letter',
  );

/** A name, or an object that says more about it. */
const contextField = z
  .preprocess(
    (given) => (typeof given === 'object' && given !== null ? given : {name: given}),
    z.strictObject({
      name: fieldName.describe('The name under which pages send it.'),
      filter: z
        .boolean()
        .default(false)
        .describe('Whether operators can list, count and export the leads that have a value of it.'),
    }),
  )
  // For editors, because a JSON Schema shows only what is behind the function above.
  .meta({type: ['string', 'object']});

export const contextFieldsSchema = z
  .array(contextField)
  .max(maxFields, `must hold at most ${maxFields} names`)
  .superRefine((fields, context) => {
    for (const [index, {name}] of fields.entries())
      if (fields.findIndex((other) => other.name === name) < index)
        context.addIssue({code: 'custom', path: [index], message: 'is there twice'});
  });
