/**
 * fast-check, with which tests try what must hold for every input. The inputs are the same in each run, so that a test
 * that passed does not fail by chance. `npm run test:properties` tries other ones, and prints the seed that repeats them.
 */
import fc from 'fast-check';

fc.configureGlobal({seed: Number(process.env['PROPERTY_SEED'] ?? 1)});

export {default} from 'fast-check';
