/**
 * fast-check, with which tests try what must hold for every input. The inputs are the same in each run, so that a test
 * that passed does not fail by chance. `PROPERTY_SEED` tries other ones, and a failure prints the seed that repeats it.
 */
import fc from 'fast-check';

fc.configureGlobal({seed: Number(process.env['PROPERTY_SEED'] ?? 1)});

export {default} from 'fast-check';
