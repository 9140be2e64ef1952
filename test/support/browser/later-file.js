// A later file in the form that the build gives it. It counts how often it runs, so that tests can check that.
export default () => {
  globalThis.laterFileRuns = (globalThis.laterFileRuns ?? 0) + 1;
  return {greeting: 'hello'};
};
