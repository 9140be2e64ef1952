import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../../support/properties.ts';
import {readElement} from '../../../build/docs/manifest.ts';
import {
  attributeChoices,
  choicesFor,
  noChoices,
  readChoices,
  styleChoices,
} from '../../../server/snippets/choices.ts';
import {themes} from '../../../server/snippets/themes.ts';
import {onePartner} from '../../../server/config/partners.ts';
import {anyChoices, choiceValues} from '../../support/snippet-choices.ts';

suite('the choices of a snippet', () => {
  const element = readElement();

  test('every attribute of the form can be chosen for a snippet', () => {
    // The partner is the first thing that a snippet needs to know, and any element has `lang`.
    const attributes = element.attributes.map(({name}) => name).filter((name) => name !== 'partner');
    assert.deepEqual(Object.keys(attributeChoices).toSorted(), [...attributes, 'lang'].toSorted());
  });

  test('every value that the form knows for an attribute can be chosen for a snippet', () => {
    for (const {name, type} of element.attributes) {
      // `'steps' | 'single'`
      const known = [...(type?.text ?? '').matchAll(/'([\w-]*)'/g)].map(([, value = '']) => value);
      const options = choiceValues.find(([choice]) => choice === name)?.[1] ?? [];
      const written = options.map((value) => readChoices({[name]: value}).choices.attributes[name]);
      for (const value of known.filter((value) => !written.includes(value)))
        assert.ok(options.includes(value), `${name}="${value}" cannot be chosen`);
    }
  });

  test('a snippet can choose each custom property but the colours of drawing and partner', () => {
    const properties = element.cssProperties.map(({name}) => name.replace('--prequal-', ''));
    assert.deepEqual(
      Object.keys(styleChoices).toSorted(),
      properties.filter((name) => !/^amount-|^partner-/.test(name)).toSorted(),
    );
  });

  test('allowed choices of a snippet have no fault, in any combination', () => {
    fc.assert(
      fc.property(anyChoices, (query) => {
        assert.deepEqual(readChoices(query).faults, {});
      }),
    );
  });

  test('a snippet leaves out defaults, whether they are chosen or not', () => {
    const {choices} = readChoices(
      Object.fromEntries(
        Object.entries(choicesFor()).map(([name, {control}]) => [
          name,
          control.kind === 'select' ? (Object.keys(control.options)[0] ?? '') : '',
        ]),
      ),
    );
    assert.deepEqual(choices, noChoices);
    assert.deepEqual(
      noChoices.attributes,
      {draft: true},
      'what snippets have that the form has not by itself',
    );
    assert.deepEqual(readChoices({}).choices, choices);
  });

  test('a choice of its own is stronger in a snippet than what the look brings', () => {
    const {choices} = readChoices({look: 'night', accent: '#123456', theme: 'auto'});
    assert.deepEqual(choices.properties, {
      '--prequal-accent': '#123456',
      '--prequal-background': themes.night.properties.background,
      '--prequal-font': themes.night.properties.font,
      '--prequal-radius': themes.night.properties.radius,
    });
    assert.deepEqual(choices.attributes, noChoices.attributes);
    assert.equal(readChoices({look: 'night'}).choices.attributes['theme'], 'dark');
  });

  test('a snippet keeps drafts unless that is taken away', () => {
    const draftOf = (given: Record<string, string>) => readChoices(given).choices.attributes['draft'];
    assert.deepEqual([draftOf({}), draftOf({draft: ''}), draftOf({draft: 'on'})], [true, true, true]);
    assert.equal(draftOf({draft: 'off'}), undefined);
  });

  test('a snippet names the order of the steps only where the contact data comes first', () => {
    const orderOf = (given: Record<string, string>) => readChoices(given).choices.attributes['order'];
    assert.deepEqual(
      [orderOf({}), orderOf({order: ''}), orderOf({order: 'funds-first'})],
      Array(3).fill(undefined),
    );
    assert.equal(orderOf({order: 'contact-first'}), 'contact-first');
  });

  test('a lead type that the partner does not take is a wrong choice of a snippet', () => {
    const {choices, faults} = readChoices(
      {'lead-type': 'standard'},
      {leadTypes: ['prequalification'], contextFields: []},
    );
    assert.deepEqual(faults, {'lead-type': 'must be prequalification: this partner takes no other leads'});
    assert.deepEqual(choices.attributes, noChoices.attributes);
    for (const leadType of ['standard', 'prequalification', ''])
      assert.deepEqual(
        readChoices(
          {'lead-type': leadType},
          {leadTypes: ['standard', 'prequalification'], contextFields: []},
        ),
        readChoices({'lead-type': leadType}),
      );
  });

  for (const accent of [
    '#abc',
    'RebeccaPurple',
    'rgb(10, 20 ,30)',
    'rgb( 10% 20% 30.5% )',
    'hsl(120deg 100% 25%)',
    'hwb(.5turn 0% 0%)',
    'lab(50% 40 -59.5)',
    'oklch(0.5 0.1 200deg)',
  ])
    test(`a snippet has the colour as it was written: ${accent}`, () => {
      const {choices, faults} = readChoices({accent});
      assert.deepEqual([choices.properties, faults], [{'--prequal-accent': accent}, {}]);
    });
  test('the name of a font gets quotes in a snippet where it would be no CSS without them', () => {
    for (const [given, written] of [
      ['Source Sans 3,Arial , sans-serif', "'Source Sans 3', Arial, sans-serif"],
      ['\'Exo 2\', "Baloo 2", Exo2', '\'Exo 2\', "Baloo 2", Exo2'],
      ['Segoe UI, Arial', 'Segoe UI, Arial'],
    ] as const)
      assert.deepEqual(readChoices({font: given}).choices.properties, {'--prequal-font': written});
  });
  test('the endpoint of a snippet is written as browsers write it', () => {
    const written = (endpoint: string) => readChoices({endpoint}).choices.attributes['endpoint'];
    assert.equal(written('HTTPS://Leads.Example.com:443//'), 'https://leads.example.com');
    assert.equal(written('https://förderung.example/a/../b/'), 'https://xn--frderung-n4a.example/b');
    assert.equal(written('http://localhost:3000'), 'http://localhost:3000');
  });

  test('a snippet has the hidden fields that the partner lists, in the order of its list', () => {
    const partner = onePartner({
      key: 'acme',
      origins: ['https://www.acme.example'],
      cid: '1001',
      context_fields: ['store', {name: 'brand', filter: true}],
    });
    const given = {
      'context-brand': 'north & "co"',
      'context-store': '',
      'context-other': 'x',
      layout: 'single',
    };
    const {choices, faults} = readChoices(given, partner);
    assert.deepEqual(faults, {});
    assert.deepEqual(Object.entries(choices.attributes), [
      ['layout', 'single'],
      ['draft', true],
      ['context-brand', 'north & "co"'],
    ]);
    assert.deepEqual(
      Object.keys(readChoices({'context-brand': 'b', 'context-store': 's'}, partner).choices.attributes),
      ['draft', 'context-store', 'context-brand'],
    );
    assert.deepEqual(readChoices(given).choices, readChoices({layout: 'single'}).choices);
    for (const [value, words] of [
      ['a\nb', /^must be one line of at most 200 characters$/],
      ['a'.repeat(201), /^must be one line of at most 200 characters$/],
      ['{{brand}}', /^must have none of the signs/],
    ] as const) {
      const wrong = readChoices({'context-brand': value}, partner);
      assert.match(wrong.faults['context-brand'] ?? '', words);
      assert.deepEqual(wrong.choices, readChoices({}).choices);
    }
  });

  const wrong: readonly (readonly [name: string, words: RegExp, values: readonly unknown[]])[] = [
    ['layout', /^must be one of steps, single$/, ['columns']],
    ['order', /^must be one of funds-first, contact-first$/, ['contact']],
    ['look', /^must be one of/, ['__proto__']],
    ['draft', /^must be one of on, off$/, ['yes']],
    [
      'endpoint',
      /^must be an address such as/,
      [
        ...['http://leads.example.com', 'https://user:password@leads.example.com', 'leads.example.com'],
        ...[
          'https:leads.example.com',
          'https:\\\\leads.example.com',
          'https://leads.example.com/a;script-src',
        ],
        ...['https://*', 'https://a;script-src', 'https://x,default-src', "https://'self'", 'https://a"b'],
        ...['https://$(id)', 'https://a%00', 'https://a\u0000', 'https://a\u202e', 'https://a{{b}}'],
      ],
    ],
    [
      'privacy-href',
      /^must be an address that begins with https/,
      ['javascript:alert(1)', 'http://www.example.com/privacy'],
    ],
    ['privacy-href', /^must have none of the signs/, ['/{%render%}']],
    [
      'cta-href',
      /^must be an address that begins with https/,
      [' java\nscript:alert(1)', '//evil.example', '/\\evil.example'],
    ],
    ['cta-href', /^must have a length of at most 500$/, [`https://example.com/${'a'.repeat(500)}`]],
    ['cta-href', /^must have none of the signs \{ \} \[ \]/, ["/{{'%22%3E'|url_decode}}"]],
    ['cta-label', /^must have none of the signs/, ['{{Variable}}', '[gallery]']],
    ['cta-label', /^must have a length of at most 80$/, ['a'.repeat(81)]],
    ['cta-label', /^must be a text without control characters$/, ['a\u0000b']],
    ['data-layer', /^must be the name of a variable/, ['alert(1)']],
    [
      'accent',
      /^must be a colour such as/,
      [
        ...['red; } body { display: none', 'url(https://evil.example)', '#12345', 'rgb(1\u00a02\u00a03)'],
        ...['12406f', 'abc', 'banana', 'transparent', 'currentColor', 'inherit', 'none', 'rgb(1,2)'],
        ...['rgb(1 2 3 / 50%)', 'rgb(1,2 3)', 'lab(1,2,3)', 'oklch(0.5deg 0.1 200)'],
      ],
    ],
    ['font', /^must be names of fonts/, ['Arial; color: red', `"Segoe UI', Arial`, 'Arial /* ']],
    ['radius', /^must be a length such as 12px$/, ['12', '100%']],
    ['max-width', /^must be a length such as 640px$/, ['calc(1px)']],
    ['space', /^must be a text$/, [['4px', '5px']]],
  ];
  const rows = wrong.flatMap(([name, words, values]) => values.map((value) => [name, value, words] as const));
  for (const [name, value, words] of rows) {
    test(`a wrong choice is named and left out: ${name} ${JSON.stringify(value).slice(0, 60)}`, () => {
      const {choices, faults} = readChoices({[name]: value});
      assert.deepEqual(Object.keys(faults), [name]);
      assert.match(faults[name] ?? '', words);
      assert.deepEqual(choices, readChoices({}).choices);
    });
  }
});
