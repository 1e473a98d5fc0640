// The runs of an actor in a real Chromium: their last words, and what is done with several of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

const MANY = 300;

describeIf(browserRequirement(), 'the runs of an actor', () => {
  let dashboard: Dashboard;
  let shell: string;
  const run = async (message: string): Promise<string> => {
    const { stdout } = await dashboard.home.cli(['run', shell, '-m', message, '--json']);
    return (JSON.parse(stdout) as { execution_id: string }).execution_id;
  };
  beforeAll(async () => {
    dashboard = await startDashboard();
    shell = await dashboard.actor('shell');
  });
  afterAll(() => dashboard?.close());

  it('has the last line of stderr in view at 375 px, in rows of two lines, and of one when the page gets wide', async () => {
    const id = await run('fail');
    const { page, close } = await dashboard.open(`actors/${shell}`, { viewport: { width: 375, height: 800 } });
    const row = page.getByRole('row').filter({ hasText: id });
    await row.getByText('trouble').waitFor();
    expect(await violations(page)).toEqual([]);
    const isInside = await row.evaluate((each) => {
      const [box, line] = [each, [...each.children].find(({ textContent }) => textContent === 'trouble')].map(
        (element) => element?.getBoundingClientRect(),
      );
      return box !== undefined && line !== undefined && line.height > 0 && line.bottom <= box.bottom;
    });
    expect(isInside).toBe(true);
    const height = async (): Promise<number> => (await row.boundingBox())?.height ?? 0;
    const tall = await height();
    await page.setViewportSize({ width: 1_280, height: 800 });
    await expect.poll(height).toBeLessThan(tall);
    await page.goto(`${dashboard.baseUrl}/?again=1#/events`);
    await page.setViewportSize({ width: 375, height: 800 });
    const event = page.getByRole('row').filter({ hasText: 'EXECUTION_COMPLETE' }).first();
    for (const text of ['EXECUTION_COMPLETE', 'failed, exit 3']) {
      const cell = event.getByText(text);
      expect(await cell.evaluate((each) => each.scrollWidth - each.clientWidth), text).toBeLessThanOrEqual(0);
    }
    await close();
  });

  it('are none yet before the first message', async () => {
    const id = await dashboard.actor('unused');
    const { page, close } = await dashboard.open(`actors/${id}`);
    await page.getByText('No executions yet. A message starts one.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('hi');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('row', { name: /complete/ }).waitFor();
    await close();
  });

  it('one of the messages that wait is cancelled by itself', async () => {
    const { id } = await dashboard.home.json<{ id: string }>('actors', 'create', 'no/such-image', '--name', 'stuck');
    await dashboard.home.cli(['send', 'stuck', '-m', 'waits', '--repeat', '3']);
    const { page, close } = await dashboard.open(`actors/${id}`);
    const second = page.getByRole('region', { name: '3 waiting messages' }).getByRole('listitem').nth(1);
    const execution = (await second.getByRole('link').textContent()) ?? '';
    await second.getByRole('button', { name: `Cancel ${execution}` }).click();
    const question = page.getByRole('dialog', { name: `Cancel execution ${execution}?` });
    await question.getByText(`actorctl messages purge stuck --execution ${execution}`, { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel the message' }).click();
    await page.getByRole('region', { name: '2 waiting messages' }).waitFor();
    const { stdout } = await dashboard.home.cli(['executions', 'list', 'stuck', '--status', 'cancelled', '-o', 'id']);
    expect(stdout.trim()).toBe(execution);
    await close();
  });

  it('Back returns to the place in the list and to the row that was opened, also after new rows', async () => {
    const { id } = await dashboard.home.json<{ id: string }>('actors', 'create', 'no/such-image', '--name', 'back');
    await dashboard.home.cli(['send', id, '-m', 'waits', '--repeat', String(MANY)]);
    const { page, complaints, close } = await dashboard.open('executions?actor=back');
    await page.getByText(`${MANY} executions`).waitFor();
    const scroller = page.locator('.scroller');
    await scroller.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
    const row = page
      .locator(`[aria-rowindex="${MANY / 2 + 5}"]`)
      .getByRole('link')
      .first();
    const name = (await row.textContent()) ?? '';
    await row.click();
    await heading(page, new RegExp(name));
    await dashboard.home.cli(['send', id, '-m', 'waits', '--repeat', '3']);
    await page.goBack();
    await page.getByText(`${MANY + 3} executions`).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name);
    const link = page.getByRole('link', { name });
    const isInside = async () => {
      const [box, at] = [await scroller.boundingBox(), await link.boundingBox()];
      return box !== null && at !== null && at.y >= box.y && at.y + at.height <= box.y + box.height;
    };
    expect(await isInside()).toBe(true);
    await page.getByRole('link', { name: 'Executions', exact: true }).click();
    await expect.poll(() => scroller.evaluate((box) => box.scrollTop)).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('show the last line of stderr, and a rerun links to its original', async () => {
    const id = await run('fail');
    const { page, close } = await dashboard.open(`actors/${shell}`);
    const runs = page.getByRole('region', { name: 'Runs of the actor' });
    await runs.getByRole('row', { name: new RegExp(`${id} failed, exit 3 trouble`) }).waitFor();
    expect(await violations(page)).toEqual([]);
    await runs.getByRole('link', { name: id }).click();
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await page.getByText('This is its new execution').waitFor();
    await page.locator('.facts').getByRole('link', { name: id }).click();
    await heading(page, new RegExp(id));
    await close();
  });
});
