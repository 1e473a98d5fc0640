// The API documentation page in a real Chromium: it shows the whole OpenAPI document and loads nothing from other
// origins.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { browserRequirement, launchBrowser, visitor } from '../../support/browser/browser.ts';
import { type BuiltDaemon, builtDaemon } from '../../support/daemon/daemon.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(browserRequirement(), '/docs', () => {
  let browser: Browser;
  let daemon: BuiltDaemon;
  beforeAll(async () => {
    browser = await launchBrowser();
    daemon = builtDaemon();
    await daemon.launch();
  });
  afterAll(async () => {
    await browser?.close();
    await daemon?.remove();
  });

  it('shows every operation with its fields and failures, and sends no request to other origins', async () => {
    const { page, asked, complaints, close } = await visitor(browser);
    await page.goto(`${daemon.baseUrl()}/docs`);
    expect(await page.title()).toMatch(/^[\x20-\x7e]+ · actorctl$/);
    const ids = await page.locator('details.operation').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids.toSorted()).toEqual(Object.keys(serviceOperations).toSorted());
    const create = page.locator('[id="actors.create"]');
    await create.locator('summary').click();
    expect(await create.getByText('default_environment').first().isVisible()).toBe(true);
    expect(await create.getByText('VALIDATION').isVisible()).toBe(true);
    await page.setViewportSize({ width: 360, height: 640 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    expect(overflow).toBe(false);
    expect(complaints).toEqual([]);
    expect(asked.filter(({ origin }) => origin !== daemon.baseUrl())).toEqual([]);
    await close();
  });
});
