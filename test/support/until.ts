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
  const begun = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - begun;
    if (waited > limit) throw new Error(`After ${limit / 1_000} s this is still not so: ${what}`);
    // What takes long is looked at less often, which leaves the processor to others.
    await new Promise((resolve) => setTimeout(resolve, Math.min(10 + waited / 20, 100)));
  }
}
