/**
 * The script of an apply page. It hands what was typed before the form's script arrived over to the form, and in a frame it
 * talks to the page around. The messages hold no personal data of the visitor's answers, and are sent to an origin of the
 * partner only. page-assets.ts writes `campaignParameter`, `contextName`, `draftLifetime` and `isCovered` before this script.
 */
const {origins} = document.currentScript.dataset;
const element = document.querySelector('lead-prequal-form');
/** The form in the page, which works without a script, and goes when the element shows itself. */
const plain = element?.querySelector('form');

/**
 * The names under which the form keeps values in the tab. Browsers that protect their users give a frame of another site no
 * storage. An object takes its place there, which lasts as long as the page.
 */
const session = (() => {
  try {
    return sessionStorage;
  } catch {
    const memory = {};
    Object.defineProperty(window, 'sessionStorage', {value: memory});
    return memory;
  }
})();
const keepInTab = (name, value) => {
  try {
    session[name] = JSON.stringify(value);
  } catch {
    // The storage is full. The form goes on without what would have been kept.
  }
};

if (plain) {
  const partner = element.getAttribute('partner');
  /** The input that the visitor is in. */
  let current;

  const draftName = `lead-prequal-draft:${partner}`;

  /** The draft from before. The element shows its answers, so they stay if nothing was typed in their place. */
  const earlier = () => {
    try {
      const draft = JSON.parse(session[draftName]);
      return Math.abs(Date.now() - draft.at) < draftLifetime ? draft : {};
    } catch {
      return {};
    }
  };

  const isAnswer = (name) => name && !name.startsWith('_') && !['website', 'consent'].includes(name);

  /** Keeps the answers as the element keeps its draft, which it fills in when it shows itself. */
  const keep = ({target} = {}) => {
    const answers = [...new FormData(plain)].filter(([name, value]) => isAnswer(name) && value !== '');
    // The visitor may have emptied a field.
    if (isAnswer(target?.name)) answers.push([target.name, target.value]);
    // A page without answers is no draft. There may be one from before.
    if (answers.length === 0) return;
    // The element shows the step that the visitor is in, or one before it that lacks an answer.
    const {step} = (target?.closest('section') ?? plain).dataset;
    const draft = {...earlier(), ...Object.fromEntries(answers), step, at: Date.now()};
    keepInTab(draftName, draft);
  };

  const input = (root) =>
    current &&
    root?.querySelector(
      `[name="${current.name}"]${current.type === 'radio' ? `[value="${current.value}"]` : ''}`,
    );

  keep();
  plain.addEventListener('input', keep);
  plain.addEventListener('focusin', ({target}) => (current = target.name ? target : undefined));
  plain.addEventListener('focusout', ({relatedTarget}) => {
    if (relatedTarget) current = undefined;
  });
  element.addEventListener(
    'prequal-ready',
    () => {
      input(element.shadowRoot)?.focus({preventScroll: true});
      plain.remove();
    },
    {once: true},
  );
}

(() => {
  if (parent === window || !origins) return;
  // Old versions of Firefox have no `ancestorOrigins`. There, the referrer names the page around the frame.
  const framing =
    location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin) ?? '';

  const isListed = origins.split(' ').some((allowed) => isCovered(framing, allowed));
  if (framing !== location.origin && !isListed) return;

  // The browser delivers a message only if the page around the frame has this very origin.
  const post = (message) => parent.postMessage(message, framing);
  const page = document.documentElement;
  new ResizeObserver(() => {
    post({type: 'prequal-height', height: Math.ceil(page.getBoundingClientRect().height)});
  }).observe(page);
  for (const name of ['ready', 'start', 'step', 'submit', 'result', 'error']) {
    document.addEventListener(`prequal-${name}`, ({type, detail}) => {
      post({type: 'prequal-event', name: type, detail});
    });
  }
  if (!element) return;

  const campaignIn = (search) =>
    [...new URLSearchParams(search)].filter(([name]) => campaignParameter.test(name));

  /** The campaign of the page around, in the place where the form looks for that of the visit. */
  const keepCampaign = ({search, landing_page, referrer}) => {
    // The partner has written a campaign into the address of the frame, which counts.
    if (campaignIn(location.search).length > 0) return;
    const campaign = campaignIn(search);
    if (campaign.length === 0) return;
    keepInTab('lead-prequal-touch', {
      ...Object.fromEntries(campaign),
      ...(referrer && {referrer}),
      landing_page,
    });
  };

  /** An address without its query. */
  const bare = (address) => {
    const {origin, pathname} = URL.parse(String(address)) ?? {};
    return origin?.startsWith('http') ? origin + pathname : undefined;
  };

  addEventListener('message', ({origin, source, data}) => {
    if (source !== parent || origin !== framing || data?.type !== 'prequal-page') return;
    const {search, address, referrer, context, prefill} = data;
    keepCampaign({search: String(search ?? ''), landing_page: bare(address), referrer: bare(referrer)});
    for (const [name, value] of Object.entries(context ?? {})) {
      const attribute = `context-${name}`;
      if (contextName.test(name) && !element.hasAttribute(attribute))
        element.setAttribute(attribute, String(value));
    }
    if (prefill && typeof prefill === 'object') element.prefill = {...prefill};
  });
  post({type: 'prequal-hello'});
})();
