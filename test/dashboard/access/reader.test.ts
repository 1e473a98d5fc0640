// What a user with the level READ can press on the page: nothing that the service would refuse.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement, type Visitor, visitor } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { until } from '../../support/daemon/daemon.ts';
import { describeIf } from '../../support/runner/requirements.ts';

/** Names of the buttons of the view that can be pressed, without those that copy a command. */
const usable = (page: Page): Promise<readonly string[]> =>
  page
    .locator('main button:not(:disabled):not([aria-disabled=true]):visible')
    .evaluateAll((found) =>
      found
        .map((button) => (button.getAttribute('aria-label') ?? button.textContent ?? '').trim())
        .filter((name) => !/^(?:Copy the command|Show the command line)/.test(name)),
    );

describeIf(browserRequirement(), 'a user with the level READ', () => {
  let dashboard: Dashboard;
  let receiver: Server;
  let reader: Visitor;
  const places: Record<string, string> = {};
  beforeAll(async () => {
    dashboard = await startDashboard();
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { home } = dashboard;
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await home.cli(args);
      if (code !== 0 && args[0] !== 'run') throw new Error(stderr);
      return stdout.trim();
    };
    const report = await dashboard.actor('report', '--stateful');
    await dashboard.actor('archive');
    await run('webhooks', 'set', 'report', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await run('links', 'set', 'report', 'archive');
    await run('aliases', 'create', 'weekly', 'report');
    await run('cron', 'set', 'report', '0 0 1 1 *');
    await run('nonces', 'create', 'report', '--max-uses', '3');
    await run('configs', 'create', 'stations', '--value', '1', '--share', 'report');
    await run('state', 'set', 'report', '--value', '{"n":1}');
    await home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    for (const of of ['report', 'archive', 'config:stations']) await run('permissions', 'grant', of, 'eve', 'READ');
    const { execution_id: execution } = JSON.parse(await run('run', 'report', '-m', 'hi', '--json'));
    const event = await run('events', 'emit', 'TICK', '--actor', 'report', '-o', 'id');
    let delivery = '';
    await until(async () => {
      delivery = (await run('webhooks', 'deliveries', '-o', 'id')).split('\n')[0] ?? '';
      return delivery !== '';
    });
    Object.assign(places, { report, execution, event, delivery });
    reader = await visitor(dashboard.browser);
    const { page } = reader;
    await page.goto(dashboard.baseUrl);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill('a-long-password');
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
  });
  afterAll(async () => {
    receiver?.close();
    await dashboard?.close();
  });

  it.each([
    ['actors/:report', 'complete', []],
    ['actors/:report?tab=about', 'Schedule', []],
    ['actors/:report?tab=edit', 'Save', ['Add a variable from a config']],
    ['actors/:report?tab=state', 'Version 1', ['Show version 1', 'Show version 0']],
    ['actors/:report?tab=access', 'Nonces', []],
    ['executions/:execution', 'complete', ['Full screen', 'Download', 'Take the oldest']],
    ['events/:event', 'Attempts', []],
    ['events/deliveries', '204', []],
    ['events/deliveries/:delivery', 'Response 204', []],
    ['wiring?edge=link:report', 'archive', ['Connect two actors', 'Zoom out', 'Zoom in', 'Fit']],
    ['access/nonces', 'uses left', ['Read again', 'New nonce']],
    ['access/configs/stations', 'Actors that get it', []],
  ])('can press at %s nothing that is refused', async (place, shows, may) => {
    const { page } = reader;
    await page.goto(`${dashboard.baseUrl}/#/${place.replace(/:(\w+)/, (_, name: string) => places[name] ?? '')}`);
    await page.getByText(shows).first().waitFor();
    await expect.poll(() => usable(page)).toEqual(may);
    expect(await violations(page)).toEqual([]);
  });
});
