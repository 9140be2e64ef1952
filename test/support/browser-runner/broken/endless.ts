it('a test that never ends', () => new Promise(() => undefined));
