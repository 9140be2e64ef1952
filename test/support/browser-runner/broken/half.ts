it('a test that passes', () => undefined);

it('a test that fails', () => {
  throw new Error('This test always fails.');
});
