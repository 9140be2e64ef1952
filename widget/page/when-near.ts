import {Promise} from './builtins.ts';

/** Settles once the element is on the screen or less than the height of a screen away from it. */
export const whenNear = (element: Element) =>
  new Promise<void>((resolve) => {
    const look: IntersectionObserverCallback = (entries, observer) => {
      if (!entries.some(({isIntersecting}) => isIntersecting)) return;
      observer.disconnect();
      resolve();
    };
    new IntersectionObserver(look, {rootMargin: '100%'}).observe(element);
  });
