// A dashboard that stays open longer than its token lives: real Chromium, a daemon with a virtual clock.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'a dashboard that stays open', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ flags: ['--virtual-clock'] });
    await dashboard.actor('report');
  });
  afterAll(() => dashboard?.close());

  const advance = (duration: string) => dashboard.home.json('clock', 'advance', duration);

  it('renews its token quietly when the service refuses it, and misses no event', async () => {
    const { page, complaints, close } = await dashboard.open('events');
    await page.getByText('Live', { exact: true }).waitFor();
    const renewals: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/token')) renewals.push(request.postData());
    });
    await advance('5h');
    await dashboard.home.cli(['events', 'emit', 'LATER', '--actor', 'report']);
    await page.getByRole('link', { name: 'LATER' }).waitFor();
    await page.getByRole('link', { name: 'Actors' }).click();
    await page.getByRole('link', { name: 'report' }).click();
    await heading(page, /report/);
    expect(renewals.map((fields) => new URLSearchParams(fields ?? '').get('grant_type'))).toEqual(['refresh_token']);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('renews its token before the end of its life, before the service refuses anything', async () => {
    const { page, close } = await dashboard.open('actors');
    await page.getByRole('link', { name: 'report' }).waitFor();
    const answers: string[] = [];
    page.on('response', (response) => answers.push(`${response.status()} ${new URL(response.url()).pathname}`));
    // The clock of the browser is past nine tenths of the four hours, that of the service is not.
    await page.clock.setSystemTime(Date.now() + 3.8 * 3_600_000);
    await page.getByRole('link', { name: 'report' }).click();
    // The heading has the name of the address before anything is read.
    await expect.poll(() => answers).toContain('200 /token');
    await page.getByText('ready', { exact: true }).first().waitFor();
    expect(answers.filter((answer) => answer.startsWith('401'))).toEqual([]);
    await close();
  });

  it('the dashboard stays logged in while the service cannot renew the token, and renews it later', async () => {
    const { page, close } = await dashboard.open('actors');
    await page.getByRole('link', { name: 'report' }).waitFor();
    const grants: (string | null)[] = [];
    await page.route('**/token', async (route) => {
      grants.push(new URLSearchParams(route.request().postData() ?? '').get('grant_type'));
      if (grants.length > 1) await route.continue();
      else
        await route.fulfill({ status: 503, json: { error: 'server_error', error_description: 'The disk is full.' } });
    });
    await advance('5h');
    await page.getByRole('link', { name: 'report' }).click();
    await page.getByText('changed', { exact: false }).waitFor();
    await expect.poll(() => grants).toEqual(['refresh_token', 'refresh_token']);
    expect(await page.getByText('Your login has ended').count()).toBe(0);
    await close();
  });

  it('reports that the login has ended when neither token nor session is left, and keeps the view', async () => {
    const { page, context, close } = await dashboard.open('actors');
    await page.getByRole('link', { name: 'report' }).waitFor();
    await context.clearCookies();
    await page.route('**/token', (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await advance('5h');
    await page.getByRole('alert').getByText('Your login has ended, so what you see may be old').waitFor();
    expect(await page.getByRole('link', { name: 'report' }).count()).toBe(1);
    await close();
  });
});
