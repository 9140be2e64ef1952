/** Any choices that may be made about a snippet, as the query of the page of snippets has them. */
import fc from './properties.ts';
import {choicesFor, type Choice} from '../../server/snippets/choices.ts';

/** Values of text fields that are allowed, though some of them look like markup or code. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  endpoint: ['https://other.example', 'https://other.example:8443/leads/'],
  'privacy-href': ['https://www.acme.example/privacy?a=1&b="2"', '/privacy', "/it's</script>"],
  'trust-line': ['Rated 4.9 by 312 owners', `"><b>'4.9' & more</b>`],
  'cta-href': ['https://www.acme.example/book', '/book#now'],
  'cta-label': ['Book a call', `"><script>alert('1')</script>&amp;`, "L'été — 100 % \\u003c $sure", '-->'],
  'thanks-href': ['/thanks', 'https://www.acme.example/thanks?reference'],
  'google-ads': ['AW-123456789/AbC-D_efG'],
  'data-layer': ['dataLayer', '$events', '_layer2'],
  accent: ['#12406f', '#ABC', 'rebeccapurple', 'rgb(1, 2, 3)', 'oklch(0.5 0.1 200)'],
  background: ['#fff', 'white'],
  text: ['#000000'],
  field: ['#000000'],
  line: ['#000000'],
  progress: ['#000000'],
  error: ['#000000'],
  font: [`"Segoe UI", 'Roboto', sans-serif`, 'inherit', 'Iowan Old Style, serif'],
  'heading-font': ['Georgia', `'Źródło Sans', serif`],
  radius: ['0px', '12px', '1.5rem'],
  space: ['3px', '0.25em'],
  'sticky-top': ['72px', '4rem'],
  'max-width': ['640px', '100%'],
};

function valuesOf(name: string, {control}: Choice): readonly string[] {
  if (control.kind === 'select') return Object.keys(control.options);
  if (control.kind === 'checkbox') return ['on'];
  const values = allowed[name];
  if (!values) throw new Error(`test/support/snippet-choices.ts has no values for ${name}`);
  return values;
}

/** The names and values of all choices. */
export const choiceValues: readonly (readonly [string, readonly string[]])[] = Object.entries(
  choicesFor(),
).map(([name, choice]) => [name, valuesOf(name, choice)]);

/** A choice that is left out is the default. */
export const anyChoices: fc.Arbitrary<Record<string, string>> = fc
  .record(Object.fromEntries(choiceValues.map(([name, values]) => [name, fc.constantFrom('', ...values)])))
  .map((values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
