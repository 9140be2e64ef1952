/**
 * What is typed into a field stays in the form. To the page, a key event of a shadow root has the element as its target,
 * which is no input, so the page's keyboard shortcuts would take letters away from the visitor.
 */

/** Keys that type nothing. Nor do those that are pressed together with Control or Meta. */
const others = /Tab|Escape|Control|Meta/;

function keep(event: Event) {
  const {target, key, ctrlKey, metaKey} = event as KeyboardEvent;
  const isTyped = !ctrlKey && !metaKey && !others.test(key);
  if (isTyped && (target as Element).matches('input, select, textarea')) event.stopPropagation();
}

export function keepTypedKeys({shadowRoot}: HTMLElement) {
  for (const type of ['keydown', 'keypress', 'keyup']) shadowRoot?.addEventListener(type, keep);
}
