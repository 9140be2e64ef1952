/** The block in the editor. It is saved as a link to the apply page, which has the pin of the form (form.php). */
(({blockEditor, blocks, components, element: {createElement: el, useEffect}, i18n: {__, sprintf}}) => {
  const {server, partner, address, lang, list, accent, settings} = window.leadPrequal;
  const {InspectorControls, useBlockProps} = blockEditor;
  const {Disabled, ExternalLink, Notice, PanelBody, Placeholder, SandBox, SelectControl, TextControl} =
    components;

  const choiceNames = ['lead-type', 'layout', 'order'];

  /** As in form.php. */
  const heightFor = (choices) =>
    list?.heights[choices['lead-type'] ?? choices.layout ?? choices.order ?? 'steps'];

  const newestPin = (attributes) => ({
    href: address,
    version: list.version,
    integrity: list.integrity,
    height: heightFor(attributes),
  });

  function elementText(name, attributes) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined) made.setAttribute(key, value);
    return made.outerHTML;
  }

  /** The frame of the editor takes the height of the sample when its window is said to have another size. */
  const tellHeight =
    "<script>addEventListener('prequal-ready', () => dispatchEvent(new Event('resize')))</script>";

  /** The sample sends nothing, and asks the server for nothing but its scripts. */
  const sample = ({version, integrity, height, ...attributes}) =>
    tellHeight +
    elementText('lead-prequal-form', {
      partner,
      lang,
      sandbox: '',
      ...Object.fromEntries(choiceNames.map((name) => [name, attributes[name]])),
      style: `display: block; min-height: ${height}${accent && `; --prequal-partner-accent: ${accent}`}`,
    }) +
    elementText('script', {
      src: `${server}/embed/${version}/lead-prequal-form.classic.js`,
      integrity,
      crossorigin: 'anonymous',
    });

  function choice(name, label, options, {attributes, setAttributes}) {
    return el(SelectControl, {
      key: name,
      label,
      value: attributes[name] ?? '',
      options: Object.entries(options).map(([value, text]) => ({value, label: text})),
      onChange: (value) => {
        const chosen = {...attributes, [name]: value === '' ? undefined : value};
        setAttributes({[name]: chosen[name], height: heightFor(chosen) ?? attributes.height});
      },
    });
  }

  const sidebar = (props) =>
    el(
      InspectorControls,
      null,
      el(
        PanelBody,
        {title: __('Form', 'lead-prequal')},
        choice(
          'lead-type',
          __('What the form asks for', 'lead-prequal'),
          {'': __('Everything', 'lead-prequal'), standard: __('Contact data', 'lead-prequal')},
          props,
        ),
        choice(
          'layout',
          __('Layout', 'lead-prequal'),
          {'': __('Three steps', 'lead-prequal'), single: __('All on one page', 'lead-prequal')},
          props,
        ),
        choice(
          'order',
          __('What comes first', 'lead-prequal'),
          {'': __('Credit and funds', 'lead-prequal'), 'contact-first': __('Contact data', 'lead-prequal')},
          props,
        ),
        el(TextControl, {
          label: __('Text of the link where the form does not load', 'lead-prequal'),
          value: props.attributes.text ?? '',
          onChange: (text) => props.setAttributes({text}),
        }),
      ),
    );

  /** Says that the version of this form should not be used any more, and offers the newest one. */
  const advice = (advisory, {attributes, setAttributes}) =>
    el(
      Notice,
      {
        status: 'error',
        isDismissible: false,
        actions: [
          {
            label: sprintf(__('Use version %s', 'lead-prequal'), list.version),
            onClick: () => setAttributes(newestPin(attributes)),
          },
        ],
      },
      advisory.withdrawn ?? advisory.security,
    );

  const preview = (attributes) =>
    el(Disabled, null, el(SandBox, {html: sample(attributes), title: __('Funding form', 'lead-prequal')}));

  /** Stands in place of a form that cannot be pinned yet. */
  const nothingYet = () =>
    el(
      Placeholder,
      {
        icon: 'money-alt',
        label: __('Funding form', 'lead-prequal'),
        instructions: partner
          ? __('The lead server does not answer. Reload this page to try again.', 'lead-prequal')
          : __(
              'An administrator has to fill in the settings of the plugin Lead Prequal first.',
              'lead-prequal',
            ),
      },
      settings && el(ExternalLink, {href: settings}, __('Settings', 'lead-prequal')),
    );

  function Edit(props) {
    const {attributes, setAttributes} = props;
    const isPinned = attributes.version !== undefined;
    useEffect(() => {
      if (list && !isPinned)
        setAttributes({text: __('Open the form on its own page', 'lead-prequal'), ...newestPin(attributes)});
    }, []);
    const advisory = list?.advisories[attributes.version];
    return el(
      'div',
      useBlockProps(),
      sidebar(props),
      advisory && advice(advisory, props),
      // The server does not serve the script of a withdrawn version.
      isPinned ? !advisory?.withdrawn && preview(attributes) : nothingYet(),
    );
  }

  blocks.registerBlockType('lead-prequal/form', {
    edit: Edit,
    save: ({attributes: {href, version, integrity, height, text}}) =>
      href === undefined
        ? null
        : el(
            'p',
            useBlockProps.save(),
            el(
              'a',
              {
                href,
                'data-prequal-version': version,
                'data-prequal-integrity': integrity,
                'data-prequal-height': height,
              },
              text,
            ),
          ),
  });
})(window.wp);
