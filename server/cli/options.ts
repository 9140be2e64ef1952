/** The option that several commands have. */
import {Option} from 'commander';
import type {ZodType} from 'zod';

/** @param line what each line is, as the function says that makes it */
export const jsonOption = (line: ZodType): Option & {line: ZodType} =>
  Object.assign(new Option('--json', 'print one JSON object a line, for programs'), {line});
