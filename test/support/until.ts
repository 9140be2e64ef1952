/**
 * Resolves when the condition holds.
 * @param limit milliseconds
 * @throws Error with the source of the condition, when it does not hold within the limit
 */
export async function until(condition: () => boolean | Promise<boolean>, limit = 60_000): Promise<void> {
  const end = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`After ${limit / 1_000} s this is still not so: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
