/**
 * Resolves when the condition holds.
 * @param limit milliseconds
 * @param what the condition in words; without it the error shows its source
 * @throws Error when the condition does not hold within the limit
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limit = 60_000,
  what = String(condition),
): Promise<void> {
  const end = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`After ${limit / 1_000} s this is still not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
