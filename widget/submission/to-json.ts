/** Without the `toJSON` that old libraries give all objects and lists, which turns them into texts. */
export const toJson = (value: unknown) => JSON.stringify(bare(value));

const bare = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.setPrototypeOf(
        Array.isArray(value)
          ? value.map(bare)
          : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bare(item)])),
        null,
      )
    : value;
