// A file as the build makes them. That it ran can be seen from outside.
export default () => {
  globalThis.laterFileRuns = (globalThis.laterFileRuns ?? 0) + 1;
  return {greeting: 'hello'};
};
