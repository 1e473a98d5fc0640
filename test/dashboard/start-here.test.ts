// An empty platform in a real Chromium: the overview offers the word-count example and opens its first run.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

const BUTTON = 'Run the word-count example';

describeIf(browserRequirement(), 'an empty platform', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    // Without a container engine.
    dashboard = await startDashboard({ env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } });
  });
  afterAll(() => dashboard?.close());

  it('says to a user without the role admin what to do instead', async () => {
    await dashboard.home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(dashboard.baseUrl);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill('a-long-password');
    await page.getByRole('button', { name: 'Log in' }).click();
    const panel = page.getByRole('region', { name: 'Start here' });
    await panel.getByText('only an admin can create it').waitFor();
    expect(await page.getByRole('button', { name: BUTTON }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('link', { name: 'New actor' }).click();
    await heading(page, /New/);
    await close();
  });

  it.each(['light', 'dark'] as const)(
    'has a panel without accessibility problems, %s, at 375 px',
    async (colorScheme) => {
      const { page, close } = await dashboard.open('', { colorScheme, viewport: { width: 375, height: 800 } });
      await page.getByRole('button', { name: BUTTON }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      await close();
    },
  );

  it('creates the example with one key, and its first run shows the log and what happened', async () => {
    const { page, complaints, close } = await dashboard.open();
    await page.getByRole('button', { name: BUTTON }).press('Enter');
    const words = page.getByRole('region', { name: 'Your first run' });
    await words.getByText('A message was sent to it').waitFor();
    await page.getByText('most frequent words:').waitFor();
    await page.locator('.summary').getByText('complete').waitFor();
    expect(await violations(page)).toEqual([]);
    const actor = await dashboard.home.json('actors', 'show', 'wordcount');
    const folder = join(dashboard.home.folder, 'data', 'default', 'examples', 'wordcount');
    expect(actor).toMatchObject({ image: `file://${folder}`, status: 'READY' });
    await words.getByRole('link', { name: 'Send another message' }).click();
    await heading(page, /wordcount/);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Running now' }).waitFor();
    expect(await page.getByRole('region', { name: 'Start here' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('names the cause if the example cannot be created', async () => {
    const { home } = dashboard;
    await home.cli(['actors', 'delete', 'wordcount', '--yes']);
    const { page, close } = await dashboard.open();
    await page.getByRole('button', { name: BUTTON }).waitFor();
    await page.route('**/actors/v2', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { status: 'error', message: 'you own 1000 actors already' } })
        : route.continue(),
    );
    await page.getByRole('button', { name: BUTTON }).click();
    await page.getByText('you own 1000 actors already').waitFor();
    expect(await page.getByRole('button', { name: BUTTON }).isEnabled()).toBe(true);
    await close();
  });
});
