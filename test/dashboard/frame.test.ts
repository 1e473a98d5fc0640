// The frame of the dashboard in a real Chromium: login, sessions, keys, loss of the daemon, and its policy.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { ADMIN } from '../support/daemon/home.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('a one-time link logs in, and the overview shows the running executions', async () => {
    const { page, asked, complaints, close } = await dashboard.open();
    await heading(page, 'Overview');
    await page.getByRole('heading', { name: 'Running now' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).toBe(`${dashboard.baseUrl}/?tenant=DEV`);
    expect(complaints).toEqual([]);
    expect(asked.filter(({ origin }) => origin !== dashboard.baseUrl)).toEqual([]);
    await close();
  });

  it('the command line of a view stands behind a button, and is copied', async () => {
    const { page, close } = await dashboard.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    const line = page.getByText('actorctl activity', { exact: true });
    expect(await line.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Show the command line' }).first().click();
    await line.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the command: actorctl activity' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('actorctl activity');
    await page.keyboard.press('Escape');
    await line.waitFor({ state: 'hidden' });
    await close();
  });

  it('R171 keeps the token out of storage and cookies, and restores its view after a reload', async () => {
    const { page, context, close } = await dashboard.open('?kept=1');
    await page.reload();
    await heading(page, 'Overview');
    expect(page.url()).toContain('#/?kept=1');
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])')).toBe(
      '[{},{},""]',
    );
    expect((await context.cookies()).map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
      ['actorctl_session', true],
    ]);
    await close();
  });

  it('the theme is chosen in the menu, stays after a reload, and follows the system otherwise', async () => {
    const { page, close } = await dashboard.open('', { colorScheme: 'dark' });
    const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await paper()).toBe('rgb(14, 16, 20)');
    await page.locator('.menu summary').click();
    await page.getByLabel('Theme').selectOption('light');
    await expect.poll(paper).toBe('rgb(255, 255, 255)');
    await page.reload();
    await heading(page, 'Overview');
    expect(await paper()).toBe('rgb(255, 255, 255)');
    expect(await violations(page)).toEqual([]);
    await page.locator('.menu summary').click();
    await page.getByLabel('Theme').selectOption('system');
    await expect.poll(paper).toBe('rgb(14, 16, 20)');
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await close();
  });

  it('asks for a login when there is no session, and then shows the requested view', async () => {
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/#/?kept=1`);
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, 'Overview');
    expect(page.url()).toBe(`${dashboard.baseUrl}/#/?kept=1`);
    await close();
  });

  it('logs in to another tenant by its name and password, and shows that tenant', async () => {
    const password = 'a password of the lab';
    expect((await dashboard.home.cli(['tenants', 'create', 'LAB'])).code).toBe(0);
    const user = ['users', 'create', 'eve', '--tenant', 'LAB', '--password-stdin'];
    expect((await dashboard.home.cli(user, { input: password })).code).toBe(0);
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/?tenant=LAB#/?kept=1`);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, 'Overview');
    expect(page.url()).toBe(`${dashboard.baseUrl}/?tenant=LAB#/?kept=1`);
    await close();
  });

  it('a filter named state is not mistaken for a login response', async () => {
    const { page, close } = await dashboard.open();
    await page.goto(`${dashboard.baseUrl}/#/?kept=1&state=a&error=b`);
    await page.reload();
    await heading(page, 'Overview');
    expect(page.url()).toBe(`${dashboard.baseUrl}/#/?kept=1&state=a&error=b`);
    await close();
  });

  it.each([375, 1280])(
    'names the time zone once, in a place that is visible without a click, at %d px',
    async (width) => {
      const viewport = { width, height: 800 };
      const { page, close } = await dashboard.open('', { viewport, timezoneId: 'Europe/Berlin' });
      const zone = page.getByText(/^Times in Europe\/Berlin, UTC\+[12]$/);
      await zone.waitFor();
      expect(await page.getByText(/UTC/).count()).toBe(1);
      expect(await page.locator('.bar').getByText(/UTC/).count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await violations(page)).toEqual([]);
      await close();
    },
  );

  it('the overview leads to the actors in error, and has the last line of stderr of a failure', async () => {
    await dashboard.actor('failing');
    await dashboard.home.cli(['run', 'failing', '-m', 'fail']);
    await dashboard.home.json('actors', 'create', 'no/such-image', '--name', 'broken');
    await dashboard.home.cli(['send', 'broken', '-m', 'x']);
    const { page, close } = await dashboard.open();
    const failures = page.getByRole('region', { name: 'Last failures' });
    await failures.getByRole('row', { name: /failing failed, exit 3.*trouble/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: '1 in error' }).click();
    await heading(page, 'Actors');
    await page.getByRole('row', { name: /broken.*error/ }).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(1);
    await close();
  });

  it('closes the account menu by Escape, by a click beside it, and by another view', async () => {
    const { page, close } = await dashboard.open();
    const summary = page.locator('.menu summary');
    const isOpen = () => page.locator('.menu').evaluate((menu) => menu.hasAttribute('open'));
    const closings = [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('heading', { level: 1 }).click(),
      () => page.evaluate("location.hash = '#/actors'"),
    ];
    for (const shut of closings) {
      await summary.click();
      await page.getByText(/^Logged in as/).waitFor();
      await shut();
      await expect.poll(isOpen).toBe(false);
    }
    await close();
  });

  it('ends the session and the token by Log out', async () => {
    const { page, close } = await dashboard.open();
    await page.getByText(ADMIN.username, { exact: true }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    await page.goto(`${dashboard.baseUrl}/`);
    await page.getByLabel('Password').waitFor();
    await close();
  });

  it('works in two tabs at once', async () => {
    const { page, context, close } = await dashboard.open();
    const other = await context.newPage();
    await other.goto(`${dashboard.baseUrl}/`);
    await heading(other, 'Overview');
    await page.reload();
    await heading(page, 'Overview');
    await other.reload();
    await heading(other, 'Overview');
    await close();
  });

  it.each(['light', 'dark'] as const)(
    'axe finds no accessibility problem in the overview, %s, at 375 px',
    async (colorScheme) => {
      const { page, close } = await dashboard.open('', { colorScheme, viewport: { width: 375, height: 800 } });
      await page.getByRole('heading', { name: 'Running now' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      await close();
    },
  );

  it('keeps its login after a restart of the daemon', async () => {
    const { page, context, close } = await dashboard.open();
    const runs = await context.newPage();
    await runs.goto(`${dashboard.baseUrl}/#/executions`);
    await heading(runs, 'Executions');
    await page.getByText('Live', { exact: true }).waitFor();
    await dashboard.home.cli(['down']);
    // A view that asks in vain does not say the same once more.
    const asked = page.waitForEvent('requestfailed', (request) => request.url().includes('/utilization/activity'));
    await page.getByText('The daemon does not respond').waitFor();
    await asked;
    await page.getByText('The daemon does not respond').waitFor();
    // The second attempt begins after the first one was shown.
    for (const _attempt of [1, 2])
      await runs.waitForEvent('requestfailed', (request) => request.url().includes('/search/executions'));
    await runs.getByText('The daemon does not respond').waitFor();
    await dashboard.home.cli(['up', '--port', new URL(dashboard.baseUrl).port]);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('The daemon does not respond').waitFor({ state: 'hidden' });
    await close();
  });

  it('asks for no password when it is loaded again after the daemon was killed', async () => {
    const { page, close } = await dashboard.open('actors');
    await page.getByText('Live', { exact: true }).waitFor();
    await dashboard.home.kill();
    await dashboard.home.up('--port', new URL(dashboard.baseUrl).port);
    await page.reload();
    await heading(page, 'Actors');
    await page.getByText('Live', { exact: true }).waitFor();
    await close();
  });

  it.each([
    [1280, 800],
    [375, 667],
  ])('the login page fits on a screen of %i by %i', async (width, height) => {
    const { page, close } = await visitor(dashboard.browser, { viewport: { width, height } });
    await page.goto(dashboard.baseUrl);
    await page.getByLabel('Password').waitFor();
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(height);
    await close();
  });
});
