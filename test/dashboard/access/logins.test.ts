// The list of logins in a real Chromium: a lost terminal, another browser and the page itself are logged out.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const PLACE = 'access/logins';

const row = (page: Page, name: RegExp): Locator => page.getByRole('row', { name });
const question = (page: Page): Locator => page.getByRole('dialog');
const endButton = (of: Locator): Locator => of.getByRole('button', { name: /^End the login/ });

describeIf(browserRequirement(), 'the list of logins', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('ends the login of a terminal by keyboard, after a question that says what stops', async () => {
    const { page, complaints, close } = await dashboard.open(PLACE);
    const terminal = row(page, /actorctl-cli.*password/);
    await terminal.waitFor();
    expect(await violations(page)).toEqual([]);
    await endButton(terminal).focus();
    await page.keyboard.press('Enter');
    await question(page).getByText('All its tokens end at once').waitFor();
    await question(page)
      .getByText(/^actorctl auth revoke --login \w+$/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await question(page).waitFor({ state: 'hidden' });
    expect(await endButton(terminal).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await question(page).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await terminal.waitFor({ state: 'detached' });
    expect((await dashboard.home.cli(['whoami', '--check'])).code).toBe(4);
    expect(complaints).toEqual([]);
    await close();
    await dashboard.home.cli(['login', '--username', 'dev', '--password-stdin', '--force'], { input: ADMIN.password });
  });

  it('logs another browser out, whose page offers a new login and cannot renew itself', async () => {
    const lost = await dashboard.open(PLACE);
    const own = row(lost.page, /This browser/);
    await own.waitFor();
    const label = (await endButton(own).getAttribute('aria-label')) ?? '';
    const { page, close } = await dashboard.open(PLACE);
    await page.getByRole('button', { name: label }).click();
    await question(page).getByText('The browser is logged out, and the dashboard pages in it stop.').waitFor();
    await question(page).getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: label }).waitFor({ state: 'detached' });
    await row(page, /This browser/).waitFor();
    await lost.page.getByText('Your login has ended, so what you see may be old.').waitFor();
    await lost.page.getByRole('button', { name: 'Log in again' }).click();
    await lost.page.getByLabel('Password').waitFor();
    await lost.close();
    await close();
  });

  it('ends the login of the page itself, and leads to a new login', async () => {
    const { page, complaints, close } = await dashboard.open(PLACE);
    await endButton(row(page, /This page/)).click();
    await question(page)
      .getByText(/Its browser is logged out too.*This page is logged out\./)
      .waitFor();
    await question(page).getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('You ended the login of this page.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, 'Access');
    await row(page, /This page/).waitFor();
    // The browser reports the status 401 of requests that were on their way.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    await close();
  });

  it('finds logins by text, and fits a phone', async () => {
    const { page, close } = await dashboard.open(PLACE, { viewport: { width: 375, height: 800 } });
    await row(page, /This page/).waitFor();
    await page.getByRole('searchbox').fill('this page');
    await page.getByText(/^2 of \d+$/).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
