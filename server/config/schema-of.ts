/** Lets the compiler check that a zod schema gives exactly a type that stands elsewhere, in a room without zod. */
import type {z} from 'zod';

/** The type of a value after it was sent as JSON, without `undefined` and `readonly`. */
type Json<Value> = Value extends object
  ? {-readonly [Key in keyof Value]: Json<Exclude<Value[Key], undefined>>}
  : Value;

/**
 * Whether two types are the same. Types that differ only by an optional property are not the same, although each can
 * be assigned to the other.
 */
type Same<One, Other> =
  (<Any>() => Any extends One ? 1 : 2) extends <Any>() => Any extends Other ? 1 : 2 ? true : false;

/** Returns the schema. It compiles only if the output of the schema, as JSON, is exactly `Type`. */
export const schemaOf =
  <Type>() =>
  <Schema extends z.ZodType>(
    schema: Schema &
      (Same<Json<z.output<Schema>>, Json<Type>> extends true ? unknown : {differsFrom: Json<Type>}),
  ): Schema =>
    schema;
