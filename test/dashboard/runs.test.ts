// The runs of an actor in a real Chromium: their last words, and what is done with several of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

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
    await question.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('region', { name: '2 waiting messages' }).waitFor();
    const { stdout } = await dashboard.home.cli(['executions', 'list', 'stuck', '--status', 'cancelled', '-o', 'id']);
    expect(stdout.trim()).toBe(execution);
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
