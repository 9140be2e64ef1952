/** Whether anything moves on a page by itself, which a visitor would lose sight of. */
import type {Page} from 'playwright-core';

/** Notes each shift of the layout from the next page on, except for those that a press explains. */
export const noteShifts = (page: Page) =>
  page.addInitScript(() =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {hadRecentInput: boolean})[])
        if (!entry.hadRecentInput) performance.mark('shift');
    }).observe({type: 'layout-shift', buffered: true}),
  );

/** How often the layout of the page has shifted. */
export const shiftsOf = (page: Page) => page.evaluate(() => performance.getEntriesByName('shift').length);
