/** Milliseconds that tests wait for a condition. */
export const patience = 60_000;

/**
 * Resolves when the condition holds. All tests wait for as long: a machine that does other work at the same time needs many
 * times as long as an idle one.
 * @param what the condition in words; without it the error shows its source
 * @param limit milliseconds, longer than usual for what takes that long on an idle machine, too
 * @throws Error when the condition does not hold within the limit
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  limit = patience,
): Promise<void> {
  const end = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`After ${limit / 1_000} s this is still not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
