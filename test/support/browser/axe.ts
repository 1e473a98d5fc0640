// Audits a page with axe-core.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Result {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Each violation with its element. Playwright evaluates the code outside the content security policy of the page. */
export const violations = async (page: Page): Promise<readonly string[]> => {
  const found = (await page.evaluate(
    `(() => { const module = undefined; ${axe.source}; return axe.run(); })()`,
  )) as Result;
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
};
