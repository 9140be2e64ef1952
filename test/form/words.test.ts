import {expect} from '@open-wc/testing';
import {formFields} from '../../contract/fields.ts';
import * as english from '../../form/words/en.ts';
import * as spanish from '../../form/words/es.ts';
import {fill, merge, sayError, type Words} from '../../form/words/words.ts';

/** Each text by its path, such as `errors.required.email`. */
function texts(words: object, path = ''): [path: string, text: string][] {
  return Object.entries(words).flatMap(([name, text]) =>
    typeof text === 'object' ? texts(text as object, `${path}${name}.`) : [[path + name, text as string]],
  );
}

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

describe('the words', () => {
  for (const part of ['firstScreen', 'afterTouch', 'sandbox'] as const) {
    it(`of ${part} are the same in Spanish, with the same placeholders`, () => {
      const es = new Map(texts(spanish[part]));
      for (const [path, text] of texts(english[part])) {
        const translated = es.get(path);
        expect(translated, path).to.be.a('string').and.not.equal('');
        expect(placeholders(translated ?? ''), path).to.deep.equal(placeholders(text));
      }
      expect([...es.keys()]).to.have.members(texts(english[part]).map(([path]) => path));
    });
  }

  it('of the first screen and those after the first touch have different names, because they are merged', () => {
    const firstScreen = new Map(texts(english.firstScreen));
    const shared = texts(english.afterTouch).filter(([path]) => firstScreen.has(path));
    expect(shared).to.deep.equal([]);
  });

  it('say something sensible of every field and error, even one that the server made up', () => {
    for (const {firstScreen, afterTouch} of [english, spanish]) {
      const words: Words = merge<object>(firstScreen, afterTouch) as Words;
      for (const name of Object.keys(formFields) as (keyof typeof formFields)[]) {
        for (const code of [
          'required',
          'invalid',
          'too_long',
          'too_large',
          'negative',
          'new-code',
        ] as const) {
          const said = sayError(words, name, code as 'required');
          expect(said, `${name} ${code}`)
            .to.match(/\.$/)
            .and.not.match(/[{}]|undefined|null/);
        }
      }
    }
  });
});

describe('fill', () => {
  it('puts values in the place of their names, and leaves what it does not know', () => {
    expect(fill('{a} of {b}, {c}', {a: 1, b: '$&'})).to.equal('1 of $&, {c}');
  });
});

describe('merge', () => {
  const words = {a: 'A', deep: {b: 'B', c: 'C'}};
  it('replaces single words at every depth, and changes nothing in place', () => {
    expect(merge(words, {deep: {c: 'see'}})).to.deep.equal({a: 'A', deep: {b: 'B', c: 'see'}});
    expect(words.deep.c).to.equal('C');
    expect(merge(words, undefined)).to.deep.equal(words);
  });
  it('adds what was not there', () => {
    expect(merge(words as object, {e: {f: 'F'}})).to.deep.equal({...words, e: {f: 'F'}});
  });
  it('ignores what stands for nothing', () => {
    expect(merge(words, {a: undefined, deep: undefined} as object)).to.deep.equal(words);
  });
  it('reaches no prototype', () => {
    merge(words as object, JSON.parse('{"__proto__": {"polluted": "yes"}}') as object);
    expect('polluted' in {}).to.be.false;
  });
});
