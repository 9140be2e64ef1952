/** Does work once, when the element is on the screen or less than the height of a screen away from it. */
export function whenNear(element: Element, work: () => void) {
  const look: IntersectionObserverCallback = (entries, observer) => {
    if (!entries.some(({isIntersecting}) => isIntersecting)) return;
    observer.disconnect();
    work();
  };
  new IntersectionObserver(look, {rootMargin: '100%'}).observe(element);
}
