/** The option `--context`, with which commands take hidden fields. */
import {InvalidArgumentError, Option} from 'commander';
import {contextName, contextValue, type Context} from '../../contract/embed.ts';

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
