/** The way of a visitor through the form, with everything that is to be looked at on it. */
import type {Frame, FrameLocator, Page} from 'playwright-core';

export const widths = [360, 1280] as const;

export type Look = (name: string) => Promise<void>;

/** @param page with the form, or the frame in it. @param look is called in each state of the form */
export async function walk(
  page: Pick<Page | Frame | FrameLocator, 'locator'>,
  look: Look = () => Promise.resolve(),
  email = 'ana@example.com',
) {
  const form = page.locator('lead-prequal-form');
  const press = (name: string) => form.getByRole('button', {name, exact: true}).click();
  const fill = async (answers: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(answers))
      await form.getByLabel(label, {exact: true}).fill(value);
  };

  await form.getByLabel('Above 720').waitFor();
  await look('1-first');
  await form.getByText('Above 720').click();
  await press('Next');
  await fill({'Retirement funds': '120,000', Cash: '50000', Investments: '0'});
  await look('2-funds');
  await press('Next');
  await fill({'First name': 'Ana', Email: 'ana@example', Phone: '415-555-01'});
  await press('See my estimate');
  await form.locator('[aria-invalid=true]').first().waitFor();
  await look('3-errors');
  await fill({'Last name': 'Silva', Email: email, Phone: '415-555-0132'});
  await look('4-contact');
  // A consent text that arrives late and would move the page is shown when the visitor goes on.
  await press('See my estimate');
  await form.getByRole('checkbox').check();
  await press('See my estimate');
  await form.getByRole('table').waitFor();
  await look('5-result');
}
