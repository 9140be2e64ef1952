// @ts-expect-error The file does not exist: so this file cannot be loaded.
import './no-such-file.ts';

it('a test of a file that cannot be loaded never runs', () => undefined);
