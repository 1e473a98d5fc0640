// Links and webhooks of the wiring in a real Chromium: what fails, and what leads to one actor.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
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

  it('connects two actors by a form, and changes and removes an edge in its panel', async () => {
    await dashboard.actor('spring');
    const { page, complaints, close } = await dashboard.open('wiring', { viewport: { width: 375, height: 800 } });
    await page.getByRole('button', { name: 'Connect two actors' }).click();
    const form = page.getByRole('form', { name: 'Connect two actors' });
    await form.getByRole('combobox', { name: 'Events of the actor' }).fill('spring');
    await form.getByRole('combobox', { name: 'go to the actor' }).fill('total');
    await form.getByText('actorctl links set spring total').waitFor({ state: 'attached' });
    await form.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Events of spring go to total now.').waitFor();
    await dashboard.home.cli(['events', 'emit', 'EXECUTION_COMPLETED_LATE', '--actor', 'spring']);
    const row = (name: RegExp) => page.getByRole('row', { name }).getByRole('link');
    await row(/^spring total/).click();
    const link = page.getByRole('region', { name: 'spring → total' });
    const event = link.getByRole('link', { name: 'EXECUTION_COMPLETED_LATE' });
    await event.waitFor();
    expect(await event.evaluate((each) => each.getClientRects().length)).toBe(1);
    await link.getByText('actorctl links show spring').waitFor({ state: 'attached' });
    await link.getByRole('button', { name: 'Change the link' }).click();
    expect(await link.getByRole('combobox').inputValue()).toBe('total');
    await link.getByRole('combobox').fill('west');
    await link.getByRole('button', { name: 'Save' }).click();
    const changed = page.getByRole('region', { name: 'spring → west' });
    expect(await violations(page)).toEqual([]);
    await changed.getByRole('button', { name: 'Remove the link' }).click();
    await page.getByText('Its events no longer go to west.').waitFor();
    // The panel learns first that the button is of no use any more, and the graph later that the edge is gone.
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(
      ({ pathname }) => pathname === '/actors/v2',
      async (route) => {
        await held;
        await route.continue();
      },
    );
    await page.getByRole('dialog', { name: 'Remove the link of spring?' }).getByText('Remove', { exact: true }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('spring → west');
    release();
    await page.getByText('The selected edge is not there any more.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Wiring');
    expect(await dashboard.home.json('actors', 'show', 'spring')).toMatchObject({ link: '' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('tests and removes a webhook in its panel, and refuses it to a user with READ', async () => {
    const { home, baseUrl } = dashboard;
    const hooked = await dashboard.actor('hooked', '--webhook', 'http://127.0.0.1:9/hook');
    await home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    await home.cli(['permissions', 'grant', 'hooked', 'eve', 'READ']);
    const { page, close } = await dashboard.open(`wiring?edge=webhook:${hooked}`);
    const panel = page.getByRole('region', { name: /^hooked → / });
    await panel.getByRole('button', { name: 'Test the webhook' }).click();
    await panel.getByText(/^POST http:\/\/127\.0\.0\.1:9\/hook: failed: no program listens there/).waitFor();
    await panel.getByText('actorctl webhooks test hooked').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Remove the webhook' }).click();
    await page
      .getByRole('dialog', { name: /^Remove the webhook/ })
      .getByText('Remove', { exact: true })
      .click();
    await page.getByText('The selected edge is not there any more.').waitFor();
    expect(await home.json('actors', 'show', 'hooked')).toMatchObject({ webhook: '' });
    await close();

    await home.cli(['webhooks', 'set', 'hooked', 'http://127.0.0.1:9/hook']);
    const other = await visitor(dashboard.browser);
    await other.page.goto(`${baseUrl}/#/wiring?edge=webhook:${hooked}`);
    await other.page.getByLabel('Username').fill('eve');
    await other.page.getByLabel('Password').fill('a-long-password');
    await other.page.getByRole('button', { name: 'Log in' }).click();
    const refused = other.page.getByRole('button', { name: 'Test the webhook' });
    await expect.poll(() => refused.getAttribute('title')).toBe('This needs the permission UPDATE. You have READ.');
    expect(await refused.isDisabled()).toBe(true);
    await other.close();
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
