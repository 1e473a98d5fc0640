// The search of executions in a real Chromium: text of messages and logs, outcome, time, order, and the address.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement } from '../../support/browser/browser.ts';
import { type Dashboard, startDashboard } from '../../support/browser/dashboard.ts';
import { scriptImage } from '../../support/daemon/daemon.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(browserRequirement(), 'a search of executions', () => {
  let dashboard: Dashboard;
  let failed: string;
  let sent: string;
  const run = async (actor: string, message: string): Promise<string> => {
    const { stdout } = await dashboard.home.cli(['run', actor, '-m', message, '--json']);
    return (JSON.parse(stdout) as { execution_id: string }).execution_id;
  };
  beforeAll(async () => {
    dashboard = await startDashboard();
    const disk = scriptImage(
      dashboard.home,
      'seq 119; echo "write error: the DISK is full <b>now</b>"; seq 200; exit 3',
    );
    await dashboard.home.json('actors', 'create', disk, '--name', 'disk', '--wait');
    await dashboard.actor('shell');
    failed = await run('disk', 'go');
    sent = await run('shell', 'buy a disk');
    await run('shell', 'something else');
  });
  afterAll(() => dashboard?.close());

  it('finds messages and logs, marks the hit, and goes to the line of the log', async () => {
    const { page, complaints, close } = await dashboard.open('executions');
    await page.keyboard.press('/');
    await page.keyboard.type('disk');
    await page.getByText('2 executions found', { exact: true }).waitFor();
    expect(await page.locator('mark').allTextContents()).toEqual(['disk', 'DISK']);
    await page.getByRole('row').filter({ hasText: failed }).getByText('<b>now</b>', { exact: false }).waitFor();
    await page.getByText('actorctl executions search disk', { exact: false }).waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByLabel('Where').selectOption('In messages');
    await page.getByText('1 execution found', { exact: true }).waitFor();
    await page
      .getByText('actorctl executions search --in message disk', { exact: false })
      .waitFor({ state: 'attached' });
    // The other actor prints its message.
    await page.getByLabel('Where').selectOption('In logs');
    await page.getByRole('link', { name: 'log 120' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`executions/${failed}#L120$`));
    await page.getByRole('log').locator('.is-hit').getByText('the DISK is full').waitFor();
    await page.goBack();
    await page.getByText('2 executions found', { exact: true }).waitFor();
    expect(await page.locator('mark').count()).toBe(2);
    expect(new URL(page.url()).hash).toBe('#/executions?q=disk&in=log');
    await page.getByLabel('Where').selectOption('In all');
    await page.getByText('2 executions found', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('stands in the address, which shows the same after a reload', async () => {
    const { page, close } = await dashboard.open('executions');
    const rows = page.getByRole('table', { name: 'Executions found' });
    await page.getByRole('searchbox', { name: 'Search' }).fill('disk');
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByLabel('Time').selectOption('Last hour');
    await page.getByLabel('Order').selectOption('Oldest first');
    await page.getByText('1 execution found', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/executions?q=disk&status=failed&since=1h&order=oldest');
    await page.reload();
    await page.getByText('1 execution found', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('disk');
    await rows.getByRole('link', { name: failed }).waitFor();
    await page.getByLabel('Status').selectOption('All');
    await expect.poll(() => rows.locator('[data-row]').allTextContents()).toEqual([failed, sent]);
    await page.getByLabel('Actor, by name, alias or id').fill('shell');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.locator('[data-row]').allTextContents()).toEqual([sent]);
    await page.getByLabel('Actor, by name, alias or id').fill('nosuch');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('There is no such actor').waitFor();
    await close();
  });

  it('takes a time range in local time', async () => {
    const { page, close } = await dashboard.open('executions');
    await page.getByLabel('Time').selectOption('From … until …');
    await page.getByText('3 executions found', { exact: true }).waitFor();
    expect(await page.getByRole('columnheader').nth(3).textContent()).toBe('Outcome');
    await page.getByLabel('Order').selectOption('Longest first');
    await page.getByText('The command sorts by time only.').waitFor();
    await page.getByLabel('Order').selectOption('Newest first');
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Until').fill('2001-01-01T00:00:00');
    await page.keyboard.press('Tab');
    await page.getByRole('alert').getByText('until must not be before since').waitFor();
    await page.getByText('The search has stopped.', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
    await page.getByLabel('From').fill('2000-01-01T00:00:00');
    await page.keyboard.press('Tab');
    await page.getByText('No execution matches.').waitFor();
    expect(page.url()).toContain('since=2000-01-01T00%3A00%3A00.000Z');
    await close();
  });

  it('continues by itself, says how far it is, and can be stopped and continued', async () => {
    const { page, close } = await dashboard.open('executions');
    let pages = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const one = { actorId: 'A', actorName: '', executor: 'dev', status: 'COMPLETE', trigger: 'message' };
    await page.route('**/actors/v2/executions?*', async (route) => {
      pages += 1;
      if (pages === 3) await held;
      const at = '2026-11-23T12:04:00.000Z';
      const match = { in: 'message', line: 1, text: 'a disk', start: 2, end: 6 };
      const executions = pages > 3 ? [] : [{ ...one, id: `e${pages}`, messageReceivedTime: at, match }];
      const result = { executions, next: pages > 3 ? null : `c${pages}`, searchedTo: at, examined: 1 };
      await route.fulfill({ json: { status: 'success', message: '', version: '', result } }).catch(() => undefined);
    });
    await page.getByRole('searchbox', { name: 'Search' }).fill('disk');
    await page.getByText(/^Searched back to 2026-11-23 \d\d:04:00, 2 executions found$/).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await page.getByText('The search has stopped. 2 executions found.').waitFor();
    release();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('2 executions found', { exact: true }).waitFor();
    expect(pages).toBe(4);
    await close();
  });

  it.each([375, 768])('shows the hit at a width of %d', async (width) => {
    const { page, close } = await dashboard.open('executions?q=disk', { viewport: { width, height: 800 } });
    await page.getByText('2 executions found', { exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    for (const hit of await page.locator('mark').all()) {
      const box = await hit.boundingBox();
      const cell = await hit.locator('xpath=ancestor::*[@role="cell"]').boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((cell?.x ?? 0) + (cell?.width ?? 0));
    }
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
