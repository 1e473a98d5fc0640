// Links and webhooks of the wiring in a real Chromium: what fails, and what leads to one actor.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the wiring', () => {
  let dashboard: Dashboard;
  let total = '';
  const senders: string[] = [];
  beforeAll(async () => {
    dashboard = await startDashboard();
    total = await dashboard.actor('total');
    for (const name of ['north', 'south', 'west']) senders.push(await dashboard.actor(name, '--link', 'total'));
  });
  afterAll(() => dashboard?.close());

  it('shows a webhook whose last delivery failed as broken, with the reason, also on the page of its actor', async () => {
    const dead = await dashboard.actor('dead', '--webhook', 'http://127.0.0.1:9/gone');
    await dashboard.home.cli(['events', 'emit', 'TICK', '--actor', 'dead']);
    const { page, close } = await dashboard.open('wiring?q=dead');
    await page
      .getByRole('row', { name: /^dead \S+ broken webhook/ })
      .getByRole('link')
      .click();
    await page.locator('.wire-label.is-broken').waitFor();
    await page.getByText(/^the last delivery failed: no program listens there/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${dashboard.baseUrl}/#/actors/${dead}?tab=about`);
    await page.getByText(/the last delivery failed: no program listens there/).waitFor();
    await close();
  });

  it('connects two actors by a drag from one to the other, and refuses a loop in the words of the service', async () => {
    await dashboard.actor('loose');
    const { page, complaints, close } = await dashboard.open('wiring?all=true');
    const node = (name: string) => page.locator('a.wire-node', { hasText: new RegExp(`^${name}`) });
    const drag = async (from: string, to: string): Promise<void> => {
      await node(from).hover();
      await page.mouse.down();
      await node(to).hover();
      await page.mouse.up();
    };
    await drag('loose', 'north');
    const question = page.getByRole('dialog', { name: 'Send the events of loose to north?' });
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('row', { name: /^loose north link/ }).waitFor();

    await drag('total', 'loose');
    await page.getByRole('dialog', { name: 'Send the events of total to loose?' }).getByText('Connect').click();
    await page.getByRole('alert').getByText(/loop/).waitFor();

    await drag('loose', 'south');
    await page.getByText('They go to north now.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: /^loose north link/ }).waitFor();

    await node('loose').click();
    await page.getByRole('heading', { name: /loose/ }).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('names the sources of a fan-in one by one, and lets their lines end apart', async () => {
    const { page, close } = await dashboard.open(`actors/${total}?tab=about`);
    await page.getByText('north, south, west').waitFor();
    await page.goto(`${dashboard.baseUrl}/#/wiring?actor=${total}`);
    const tips = page.locator(senders.map((id) => `[data-edge="link:${id}"] .wire-tip`).join(', '));
    await expect.poll(() => tips.count()).toBe(3);
    const places = await tips.evaluateAll((each) => each.map((tip) => tip.getAttribute('transform')));
    expect(new Set(places).size).toBe(3);
    await close();
  });
});
