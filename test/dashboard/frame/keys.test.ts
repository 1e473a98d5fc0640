// Keys, the palette and the address, in a real Chromium.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the frame of the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('the palette finds views, actors, executions and actions, with the keys alone', async () => {
    const id = await dashboard.actor('palette-one');
    const { stdout } = await dashboard.home.cli(['send', 'palette-one', '-m', 'hi', '-o', 'id']);
    const { page, complaints, close } = await dashboard.open();
    const field = page.getByRole('combobox', { name: 'Actor, execution, view or action' });
    const option = (name: string) => page.getByRole('option', { name });
    await page.keyboard.press('Control+k');
    await option('View Wiring').waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill('wir');
    await page.keyboard.press('Enter');
    await heading(page, 'Wiring');
    await page.keyboard.press('Control+k');
    await field.fill('palette-one');
    await option('Actor palette-one').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading(page, /palette-one/);
    expect(page.url()).toMatch(new RegExp(`#/actors/${id}\\?tab=edit$`));
    await page.getByRole('button', { name: 'Go to' }).click();
    await field.fill(stdout.trim());
    await option(`Execution ${stdout.trim()}`).click();
    await heading(page, new RegExp(stdout.trim()));
    // Parts of views, what is done with an actor, and the buttons of the view itself.
    await page.keyboard.press('Control+k');
    await field.fill('deliv');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Webhook deliveries' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('schedule of pal');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Schedule' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('delete');
    await option('Action Delete in this view').click();
    await page.getByRole('dialog', { name: 'Delete the actor palette-one?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await field.fill('no such thing');
    await page.getByText('Nothing is called "no such thing".').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => field.count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('keyboard shortcuts open views, and a list shows the shortcuts', async () => {
    const { page, close } = await dashboard.open('nowhere');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await heading(page, 'Overview');
    // A dialog does not stay above the view to which *Back* returns.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.goBack();
    await heading(page, 'Nothing is at this address');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await close();
  });

  it('an unknown address shows an error with a link back', async () => {
    const { page, close } = await dashboard.open('nothing/here');
    await page.getByRole('link', { name: 'open the overview' }).click();
    await heading(page, 'Overview');
    await close();
  });

  it('a view that waits for its first response says that it reads', async () => {
    const { page, complaints, close } = await dashboard.open('access/configs');
    await page.getByRole('button', { name: 'New config' }).waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/actors/v2/configs*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Nonces' }).click();
    await page.getByRole('link', { name: 'Configs' }).click();
    const reading = page.getByRole('progressbar', { name: 'Reading' });
    await expect.poll(() => reading.evaluate((bar) => getComputedStyle(bar).opacity)).toBe('1');
    expect(await violations(page)).toEqual([]);
    release();
    await reading.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });
});
