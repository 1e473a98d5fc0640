// The pages without a login lead back to one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { ADMIN } from '../support/daemon/home.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'a way back in', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('a logout and a used link each lead to a new login by a button', async () => {
    const { page, context, complaints, close } = await dashboard.open();
    const other = await context.newPage();
    await other.goto(`${dashboard.baseUrl}/#/actors`);
    await heading(other, 'Actors');
    await page.getByText(ADMIN.username, { exact: true }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    // The other tab gives up its token, and shows no data any more.
    await other.getByText('You logged out in another tab.').waitFor();
    expect(await other.getByRole('heading', { name: 'Actors' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, 'Overview');
    expect(page.url()).toBe(`${dashboard.baseUrl}/?tenant=DEV`);
    await context.clearCookies();
    await page.goto(`${dashboard.baseUrl}/authorize/link?code=used`);
    await heading(page, 'This link does not work any more');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Password').waitFor();
    // The browser reports the status 400 of the used link.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    await close();
  });
});
