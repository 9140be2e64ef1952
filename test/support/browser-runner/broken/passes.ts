it('a test that passes beside files that fail', () => undefined);
