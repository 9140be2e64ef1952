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

/** Follows the first link of the page. */
export function followLink() {
  document.querySelector('a')!.click();
}
