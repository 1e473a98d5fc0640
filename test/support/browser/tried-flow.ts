// The browser storage of a page, and the responses of flows in the dashboard.
import type { Page } from 'playwright-core';

/** Where a page and its browser could keep a secret. What a field holds while it is typed is not in the markup. */
export const keptBy = async (page: Page): Promise<string> =>
  [
    page.url(),
    await page.content(),
    await page.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, document.title])',
    ),
  ].join('\n');

/** The response of a flow, by the number of its request. */
export const answered = (page: Page, number: number) => page.getByLabel(`Response ${number}`);

/** Waits until a response has this status. */
export const status = async (page: Page, number: number, wanted: string): Promise<void> =>
  answered(page, number).getByRole('heading', { name: wanted }).waitFor();
