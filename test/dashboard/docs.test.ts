// The API documentation in a real Chromium: search, and operations that are sent with the login of the browser.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { ADMIN } from '../support/daemon/home.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the API documentation', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const openFromMenu = async () => {
    const visit = await dashboard.open();
    await visit.page.locator('.menu summary').click();
    await visit.page.getByRole('link', { name: 'API documentation' }).click();
    await heading(visit.page, 'Authorization and actor service');
    return visit;
  };

  it('has a search and a way back to the dashboard', async () => {
    const { page, complaints, close } = await openFromMenu();
    const shown = page.locator('details.operation:visible');
    const all = await shown.count();
    await page.getByLabel('Search operations').fill('cron set');
    await page.getByText('1 operation', { exact: true }).waitFor();
    expect(await shown.evaluateAll((found) => found.map(({ id }) => id))).toEqual(['cron.set']);
    expect(await page.locator('nav li:visible').allTextContents()).toEqual(['cron']);
    await page.getByLabel('Search operations').fill('no such words');
    await page.getByText('No operation contains these words').waitFor();
    await page.getByLabel('Search operations').fill('');
    expect(await shown.count()).toBe(all);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the dashboard' }).click();
    await heading(page, 'Overview');
    expect(page.url()).toBe(`${dashboard.baseUrl}/?tenant=DEV`);
    expect(complaints).toEqual([]);
    await close();
  });

  it('sends an operation with the session of the browser, and shows the response', async () => {
    const id = await dashboard.actor('tried');
    const { page, asked, complaints, close } = await openFromMenu();
    await page.goto(`${page.url()}#actors.show`);
    const form = page.getByRole('form', { name: 'Try actors.show' });
    await form.getByLabel('actorId').fill(id);
    await form.getByRole('button', { name: 'Send GET' }).click();
    await page.getByText('200 OK').waitFor();
    await page.getByRole('region', { name: 'Body of the response' }).getByText('"name": "tried"').waitFor();
    expect(await violations(page)).toEqual([]);
    await form.getByLabel('actorId').fill('../healthz');
    await page.keyboard.press('Enter');
    await page.getByText('404 Not Found').waitFor();
    expect(asked.at(-1)?.pathname).toBe('/actors/v2/..%2Fhealthz');
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).toBe('[{},{}]');
    // The browser reports the status 404.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await close();
  });

  it('sends a body as it was typed, with all digits of its numbers', async () => {
    const id = await dashboard.actor('typed', '--stateful');
    const { page, close } = await openFromMenu();
    await page.goto(`${page.url()}#state.set`);
    const form = page.getByRole('form', { name: 'Try state.set' });
    await form.getByLabel('actorId').fill(id);
    await form.getByRole('textbox', { name: 'Body' }).fill('{"n": 12345678901234567890}');
    await form.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('200 OK').waitFor();
    expect((await dashboard.home.cli(['state', 'show', 'typed', '-o', 'json'])).stdout).toContain(
      '12345678901234567890',
    );
    await close();
  });

  it('asks a browser without a session for a login, and returns to the operation', async () => {
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/docs?tenant=DEV#profiles.me`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Send GET' }).click();
    await page.getByRole('region', { name: 'Body of the response' }).getByText(`"${ADMIN.username}"`).first().waitFor();
    expect(page.url()).toBe(`${dashboard.baseUrl}/docs?tenant=DEV#profiles.me`);
    await close();
  });
});
