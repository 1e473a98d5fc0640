// Several executions at once in a real Chromium: selected in a list, halted, and run again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement, visitor } from '../../support/browser/browser.ts';
import { type Dashboard, startDashboard } from '../../support/browser/dashboard.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(browserRequirement(), 'selected executions', () => {
  let dashboard: Dashboard;
  const idsOf = async (...flags: string[]): Promise<readonly string[]> =>
    (await dashboard.home.cli(['executions', 'list', ...flags, '-o', 'id'])).stdout.split('\n').filter(Boolean);
  beforeAll(async () => {
    dashboard = await startDashboard();
    for (const name of ['first', 'second', 'third']) await dashboard.actor(name);
  });
  afterAll(() => dashboard?.close());

  it('are halted together after one question that names their number', async () => {
    for (const name of ['first', 'second', 'third']) await dashboard.home.cli(['send', name, '-m', 'hang']);
    await expect.poll(() => idsOf('--status', 'running')).toHaveLength(3);
    const [kept = '', ...halted] = await idsOf();
    const { page, complaints, close } = await dashboard.open('executions');
    for (const id of halted) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    const bar = page.getByRole('group', { name: 'Selected executions' });
    await bar.getByText('2 selected').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await bar.getByRole('button', { name: 'Run again' }).isDisabled()).toBe(true);
    await bar.getByRole('button', { name: 'Halt selected' }).click();
    const question = page.getByRole('dialog', { name: 'Halt 2 executions?' });
    await question.getByText(`actorctl executions halt ${halted.join(' ')}`).waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Halt', exact: true }).click();
    await page.getByText('2 executions are being halted.').waitFor();
    await bar.waitFor({ state: 'detached' });
    await expect.poll(() => idsOf('--status', 'running')).toEqual([kept]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('are left out where the permission does not allow it', async () => {
    const { home } = dashboard;
    await home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    await home.cli(['permissions', 'grant', 'first', 'eve', 'READ']);
    await home.cli(['permissions', 'grant', 'second', 'eve', 'EXECUTE']);
    const ids: string[] = [];
    for (const name of ['first', 'second']) {
      await home.cli(['run', name, '-m', 'shared']);
      ids.push(...(await idsOf(name, '--limit', '1')));
    }
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/#/executions/${ids[0]}`);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill('a-long-password');
    await page.getByRole('button', { name: 'Log in' }).click();
    const refused = page.getByTitle('This needs the permission EXECUTE. You have READ.');
    await refused.and(page.getByRole('button', { name: 'Run again' })).waitFor();
    expect(await refused.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Halt' }).isDisabled()).toBe(true);

    await page.goto(`${dashboard.baseUrl}/#/executions`);
    await page.getByRole('checkbox', { name: `Select ${ids[0]}` }).check();
    await refused.waitFor();
    await page.getByRole('checkbox', { name: `Select ${ids[1]}` }).check();
    await page.getByRole('button', { name: 'Run again' }).click();
    const question = page.getByRole('dialog', { name: 'Run 1 execution again?' });
    await question.getByText('1 execution left out: you do not have EXECUTE on the actor.').waitFor();
    await close();
  });

  it('are selected as a range and run again, by keyboard alone', async () => {
    for (const name of ['first', 'second']) await dashboard.home.cli(['run', name, '-m', `once more ${name}`]);
    const { page, close } = await dashboard.open('executions?q=more');
    await page.getByText('2 executions found', { exact: true }).waitFor();
    await page.getByRole('checkbox').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Space');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Run 2 executions again?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('2 executions run again.').waitFor();
    await page.getByText('4 executions found', { exact: true }).waitFor();
    await close();
  });

  it('all executions of a filter are selected at once, and the count of those left out is said', async () => {
    await expect.poll(() => idsOf('--status', 'running')).toHaveLength(1);
    const { page, close } = await dashboard.open('executions');
    const total = (await idsOf()).length;
    await page.getByText(`${total} executions`, { exact: true }).waitFor();
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: `Select all ${total}` }).click();
    await page.getByText(`${total} selected`).waitFor();
    await page.getByRole('button', { name: 'Halt selected' }).click();
    await page.getByText(`${total - 1} executions left out: not running.`).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Select none' }).click();
    await page.getByText(`${total} selected`).waitFor({ state: 'detached' });
    await close();
  });
});
