/** Whoever asks within these milliseconds gets the same result, until it fails or somebody forgets it. */
export function onceIn<Result>(milliseconds: number, work: () => Promise<Result>) {
  let last: {result: Promise<Result>; at: number} | undefined;
  const forget = () => void (last = undefined);
  const read = () => {
    if (last && performance.now() - last.at < milliseconds) return last.result;
    const result = work();
    last = {result, at: performance.now()};
    result.catch(forget);
    return result;
  };
  return {read, forget};
}
