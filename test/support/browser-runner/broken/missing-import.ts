// @ts-expect-error The imported file does not exist, so that this file cannot be loaded.
import './no-such-file.ts';

it('a test of a file that cannot be loaded never runs', () => undefined);
