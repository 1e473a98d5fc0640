// The actors in a real Chromium: the list, the details of one actor, and a message that is sent and followed.
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">\u202e';

describeIf(browserRequirement(), 'the actors', () => {
  let dashboard: Dashboard;
  let report: string;
  let counter: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    report = await dashboard.actor('report', '-e', 'MODE=<b>fast</b>');
    counter = await dashboard.actor('counter', '--stateful');
    await dashboard.actor(HOSTILE);
    const { home } = dashboard;
    await home.cli(['links', 'set', 'report', 'counter']);
    await home.cli(['aliases', 'create', 'weekly', 'report']);
    await home.cli(['cron', 'set', 'report', '0 0 * * *']);
    await home.cli(['nonces', 'create', 'report', '--max-uses', '3']);
    await home.cli(['permissions', 'grant', 'report', 'bob', 'READ']);
    for (const count of [1, 2]) await home.cli(['state', 'set', counter, '--value', JSON.stringify({ count })]);
  });
  afterAll(() => dashboard?.close());

  it('are listed with their activity, and found by text', async () => {
    const { page, complaints, close } = await dashboard.open('actors');
    await page.getByRole('row', { name: /report.*ready/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(4);
    await page.keyboard.press('/');
    await page.keyboard.type('report ready');
    await page.getByText('1 of 3').waitFor();
    expect(page.url()).toContain('#/actors?q=report+ready');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, /report/);
    expect(complaints).toEqual([]);
    await close();
  });

  it('have the rate of failures of the last hour, are sorted by it, and are opened by name', async () => {
    await dashboard.actor('flaky');
    for (const message of ['fail', 'hi', 'fail']) await dashboard.home.cli(['run', 'flaky', '-m', message]);
    await dashboard.home.cli(['run', 'report', '-m', 'hi']);
    const { page, close } = await dashboard.open('actors');
    await page.getByLabel('Sort by').selectOption('failures');
    const first = page.getByRole('row').nth(1);
    await first.getByText('flaky').waitFor();
    await first.getByTitle('2 of 3 executions of the last hour').getByText('67 %').waitFor();
    await page
      .getByRole('row', { name: /report/ })
      .getByText('0 %')
      .waitFor();
    await page.goto(`${dashboard.baseUrl}/?again=1#/actors/flaky`);
    await page
      .getByRole('row', { name: /failed, exit 3/ })
      .first()
      .waitFor();
    await page.goto(`${dashboard.baseUrl}/?again=2#/actors/weekly?tab=about`);
    await heading(page, /report/);
    await close();
  });

  it('are never taken for others with an alias of that name, or for words of the API', async () => {
    const greeter = await dashboard.actor('greeter');
    await dashboard.home.cli(['aliases', 'create', 'greeter', 'report']);
    for (const name of ['executions', 'a/b']) await dashboard.actor(name);
    const { page, close } = await dashboard.open(`actors/${greeter}?tab=about`);
    await page.getByText(`actorctl actors show ${greeter}`).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText(`actorctl actors delete ${greeter}`).waitFor();
    await page.keyboard.press('Escape');
    for (const name of ['executions', 'a/b']) {
      await page.goto(`${dashboard.baseUrl}/?list=${encodeURIComponent(name)}#/actors`);
      await page.getByRole('link', { name, exact: true }).last().click();
      await page.getByText('No executions yet. A message starts one.').waitFor();
      await page.getByText('ready', { exact: true }).waitFor();
    }
    await page.goto(`${dashboard.baseUrl}/?again=3#/actors/aliases`);
    await page.getByText('There is no such actor').waitFor();
    await close();
  });

  it.each([724, 768, 861, 900, 1101])('are inside their frame at %d px', async (width) => {
    const { page, close } = await dashboard.open('actors', { viewport: { width, height: 800 } });
    const row = page.getByRole('row', { name: /report.*ready/ });
    await row.waitFor();
    expect(await row.evaluate((line) => line.scrollWidth - line.clientWidth)).toBe(0);
    await close();
  });

  it('keep the end of their image, and the whole name at 375 px', async () => {
    const name = 'nightly-aggregation-of-the-readings';
    await dashboard.actor(name);
    const { page, close } = await dashboard.open('actors');
    const row = page.getByRole('row', { name });
    const isCut = (part: Locator) =>
      part.evaluate((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight);
    const image = row.getByTitle(dashboard.image, { exact: true });
    expect(await image.textContent()).toBe(dashboard.image.replace('file://', ''));
    expect(await Promise.all(['first-child', 'last-child'].map((at) => isCut(image.locator(`:${at}`))))).toEqual([
      true,
      false,
    ]);
    await page.setViewportSize({ width: 375, height: 800 });
    await expect.poll(() => isCut(row.getByRole('cell').first())).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    await dashboard.home.cli(['actors', 'delete', name, '--yes']);
    await close();
  });

  it('R173 shows a hostile name as text', async () => {
    const { page, complaints, close } = await dashboard.open('actors');
    await page.getByText(HOSTILE.replace('\u202e', '\ufffd'), { exact: true }).waitFor();
    expect([await page.locator('img').count(), await page.title()]).toEqual([0, 'Actors · actorctl']);
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows an actor with its state, executions and links', async () => {
    const { page, close } = await dashboard.open(`actors/${report}?tab=about`);
    await heading(page, /report/);
    await page.getByText('<b>fast</b>').waitFor();
    await page.getByText('weekly', { exact: true }).waitFor();
    await page.locator('dt', { hasText: 'token of its executions' }).locator('+ dd', { hasText: 'none' }).waitFor();
    await page.getByRole('link', { name: 'counter' }).waitFor();
    await page.getByText('0 0 * * *').waitFor();
    await page.getByText('in UTC', { exact: true }).waitFor();
    await page.getByText('actorctl cron next report', { exact: false }).waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Permissions and nonces' }).click();
    await page.getByText('bob').waitFor();
    await page.getByText('3 of 3 uses left').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: /^Delete \S/ }).click();
    const question = page.getByRole('dialog', { name: /^Delete a nonce/ });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('cell', { name: '3 of 3 uses left' }).waitFor();
    // The keys that open a row ask too. They deleted the nonce at once.
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: /^Delete \S/ }).click();
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No nonces.').waitFor();
    await close();
  });

  it('an actor opened by its alias links to its events by id', async () => {
    const { page, close } = await dashboard.open('actors/weekly');
    await heading(page, /report/);
    const link = page.locator('.head').getByRole('link', { name: 'Events' });
    await expect.poll(() => link.getAttribute('href')).toBe(`#/events?actor=${report}`);
    await close();
  });

  it('an actor opened by its alias is reloaded when it has an event', async () => {
    const { page, close } = await dashboard.open('actors/weekly');
    await page.clock.install();
    await page.reload();
    await heading(page, /report/);
    await page.getByText('Live', { exact: true }).waitFor();
    // The refresh after five seconds does not happen while the clock of the page is stopped.
    await page.clock.pauseAt(Date.now() + 1_000);
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/actors/v2/weekly')) asked += 1;
    });
    await dashboard.home.cli(['events', 'emit', 'CHECKED', '--actor', 'report']);
    let passed = 0;
    await expect
      .poll(async () => {
        if (passed < 3_000) await page.clock.runFor(100);
        passed += 100;
        return asked;
      })
      .toBeGreaterThan(0);
    await close();
  });

  it('shows a version of a state, compares it with any other, and restores one', async () => {
    const { page, close } = await dashboard.open(`actors/${counter}?tab=state`);
    await expect.poll(() => page.locator('.diff').textContent()).toBe('{\n  "count": 2\n}\n');
    await page.getByText('actorctl state get counter --version 2', { exact: true }).waitFor({ state: 'attached' });
    const pick = page.getByRole('combobox', { name: 'Compare with' });
    await pick.selectOption('the version before');
    for (const line of ['+   "count": 2', '-   "count": 1']) await page.getByText(line).waitFor();
    expect(page.url()).toContain('against=before');
    await page.getByRole('button', { name: 'Show version 1' }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('button', { name: 'Show version 3' }).waitFor();
    await pick.selectOption('version 1');
    await page.getByText('compared with version 1').waitFor();
    expect(await page.locator('.diff .is-same').count()).toBeGreaterThan(0);
    await page.reload();
    await page.getByText('state diff counter --from v1 --to v3', { exact: false }).waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await pick.selectOption('nothing');
    await page.getByText('compared with version 1').waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('against');
    await close();
  });

  it('sends a message and shows its log while it runs', async () => {
    const { page, close } = await dashboard.open(`actors/${report}`);
    await page.getByRole('textbox', { name: 'Message' }).fill("it's <i>here</i>");
    await page
      .getByText("actorctl send report --type text -m 'it'\\''s <i>here</i>'", { exact: false })
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('log').getByText("got: it's <i>here</i>").waitFor();
    await page.locator('.sent').getByText('complete').waitFor();
    await page.getByLabel('JSON').check();
    await page.getByRole('textbox', { name: 'Message' }).fill('{');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').getByText('This is not JSON').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('File', { exact: true }).check();
    await page.getByText('actorctl send report --type binary -f FILE', { exact: false }).waitFor({ state: 'attached' });
    await close();
  });

  it('sends a message once when the keyboard shortcut is pressed twice', async () => {
    const { page, close } = await dashboard.open(`actors/${report}`);
    let asked = 0;
    await page.route('**/messages', async (route) => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.fill('twice');
    await box.press('Control+Enter');
    await box.press('Control+Enter');
    await page.getByRole('log').getByText('got: twice').waitFor();
    expect(asked).toBe(1);
    await close();
  });

  it('says that an actor does not exist', async () => {
    const { page, close } = await dashboard.open('actors/nosuch');
    await page.getByRole('alert').waitFor();
    await close();
  });
});
