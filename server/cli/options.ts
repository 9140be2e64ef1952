/** The options that several commands have. */
import {InvalidArgumentError, Option} from 'commander';
import type {ZodType} from 'zod';
import {contextName, contextValue, type Context} from '../../contract/embed.ts';

/** @param line what each line is, as the function says that makes it */
export const jsonOption = (line: ZodType): Option & {line: ZodType} =>
  Object.assign(new Option('--json', 'print one JSON object a line, for programs'), {line});

export const contextOption = (description: string): Option =>
  new Option('--context <name=value>', `${description}; may be given several times`).argParser(readContext);

function readContext(text: string, earlier: Context = {}): Context {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=').trim();
  if (!contextName.test(name) || !contextValue.test(value))
    throw new InvalidArgumentError(
      'It must be the name of a hidden field and its value, of at most 200 characters in one line: brand=north.',
    );
  if (Object.hasOwn(earlier, name))
    throw new InvalidArgumentError(`A lead has one value of ${name}, so it can be given only once.`);
  return {...earlier, [name]: value};
}
