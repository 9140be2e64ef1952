/**
 * Tells the page that shows the form in a frame how high the form is, and what happens in it. The messages hold no
 * personal data, and are sent to an origin of the partner only. page-assets.ts writes `isCovered` before this script.
 */
(() => {
  if (parent === window) return;
  const {origins} = document.currentScript.dataset;
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
})();
