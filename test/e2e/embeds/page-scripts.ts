/**
 * What sites do to a snippet in the browser. Each function runs in the page, so it uses nothing from outside itself. It
 * is written from the documentation of the site's software, or from what its public script does; no code is copied.
 */

/** Where a site puts what was pasted, and the text itself. */
export type Pasted = {html: string};

/** The script element that runs `work` in the page. */
export const pageScript = <Input>(work: (input: Input) => void, input: Input): string =>
  `<script>(${String(work)})(${JSON.stringify(input).replaceAll('<', '\\u003c')});</script>`;

/**
 * Puts the tag into the end of the page. Its scripts are made anew, with nothing but a source, a text and an id; a script
 * of another type than JavaScript stays as it is parsed, and does not run.
 */
export function fireTag({html, times, wait}: Pasted & {times: number; wait: boolean}) {
  const put = (parent: Node, node: ChildNode) => {
    if (node instanceof HTMLScriptElement && /^(|text\/javascript)$/.test(node.type)) {
      const script = document.createElement('script');
      script.async = false;
      script.type = 'text/javascript';
      script.id = node.id;
      script.text = node.text;
      if (node.src) script.src = node.src;
      parent.insertBefore(script, null);
    } else if (node instanceof Element && node.querySelector('script')) {
      const children = [...node.childNodes];
      node.replaceChildren();
      parent.insertBefore(node, null);
      for (const child of children) put(node, child);
    } else {
      parent.insertBefore(node, null);
    }
  };
  const fire = () => {
    for (let time = 0; time < times; time++) {
      const parsed = document.createElement('div');
      parsed.innerHTML = html;
      for (const child of [...parsed.childNodes]) put(document.body, child);
    }
  };
  if (wait) document.addEventListener('DOMContentLoaded', fire);
  else fire();
}

/** Replaces the content of an element by HTML, and its scripts by copies with the same attributes, so that they run. */
export function insertWithScripts({html, into}: Pasted & {into: string}) {
  const place = document.querySelector(into)!;
  place.innerHTML = html;
  for (const inert of place.querySelectorAll('script')) {
    const script = document.createElement('script');
    for (const {name, value} of inert.attributes) script.setAttribute(name, value);
    script.text = inert.text;
    inert.replaceWith(script);
  }
}

/** Replaces the content of an element by HTML. Its scripts do not run. */
export function insert({html, into}: Pasted & {into: string}) {
  document.querySelector(into)!.innerHTML = html;
}

/** Makes the scripts anew whose type an optimiser has changed, with a type that runs, and keeps their attributes. */
export function runDelayed({on, inert}: {on: 'load' | 'first interaction'; inert: string}) {
  const run = () => {
    for (const delayed of document.querySelectorAll<HTMLScriptElement>(`script[type="${inert}"]`)) {
      const script = document.createElement('script');
      for (const {name, value} of delayed.attributes) {
        if (name === 'data-delayed-src') script.src = value;
        else if (name !== 'type') script.setAttribute(name, value);
      }
      script.text = delayed.text;
      delayed.replaceWith(script);
    }
  };
  if (on === 'load') {
    addEventListener('load', run);
    return;
  }
  const events = ['keydown', 'mousedown', 'mousemove', 'touchstart', 'touchmove', 'wheel'];
  const once = () => {
    for (const event of events) removeEventListener(event, once);
    run();
  };
  for (const event of events) addEventListener(event, once, {passive: true});
}

/** Shows HTML in a frame without an address of its own, which becomes as high as its content. */
export function embedInFrame({html, into}: Pasted & {into: string}) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width: 100%; border: none';
  addEventListener('message', ({source, data}) => {
    const {embedHeight} = data as {embedHeight?: number};
    if (source === frame.contentWindow && embedHeight) frame.style.height = `${embedHeight}px`;
  });
  frame.srcdoc = html;
  document.querySelector(into)!.append(frame);
}

/** Tells the page how high the content of this frame is. */
export function tellHeight() {
  new ResizeObserver(([entry]) => {
    parent.postMessage({embedHeight: entry!.contentRect.height}, '*');
  }).observe(document.body);
}

/** Follows the first link of an e-mail. Its address is in the newsletter's link, which counts clicks. */
export function followLink({counted}: {counted: string}) {
  document.querySelector('a')!.href = counted;
  document.querySelector('a')!.click();
}
