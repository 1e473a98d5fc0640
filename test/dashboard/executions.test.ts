// The executions in a real Chromium: a long list, its filters, and one execution with its log, causes and actions. Over
// 250 lines, because the cases share one dashboard and its executions.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { scriptImage } from '../support/daemon/daemon.ts';
import { describeIf } from '../support/runner/requirements.ts';

const MANY = 300;

describeIf(browserRequirement(), 'the executions', () => {
  let dashboard: Dashboard;
  let shell: string;
  let idle: string;
  const run = async (message: string): Promise<string> => {
    const { stdout } = await dashboard.home.cli(['run', shell, '-m', message, '--json']);
    return (JSON.parse(stdout) as { execution_id: string }).execution_id;
  };
  beforeAll(async () => {
    dashboard = await startDashboard();
    shell = await dashboard.actor('shell');
    const { id } = await dashboard.home.json<{ id: string }>('actors', 'create', 'no/such-image', '--name', 'idle');
    idle = id;
    await dashboard.home.cli(['send', idle, '-m', 'waits', '--repeat', String(MANY)]);
    await dashboard.home.cli(['links', 'set', 'shell', 'idle']);
  });
  afterAll(() => dashboard?.close());

  it('scroll to the oldest execution while only the visible rows are rendered', async () => {
    const { page, complaints, close } = await dashboard.open('executions');
    await page.getByText(`${MANY} executions`).waitFor();
    const rows = page.getByRole('row');
    expect(await rows.count()).toBeLessThan(60);
    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page
      .locator(`[aria-rowindex="${MANY + 1}"]`)
      .getByRole('link')
      .waitFor();
    expect(await rows.count()).toBeLessThan(60);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('are filtered by status and actor, and the address keeps the filters', async () => {
    const failed = await run('fail');
    const { page, close } = await dashboard.open('executions');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('1 execution', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: failed }).waitFor();
    await page.getByRole('row', { name: /exit 3/ }).waitFor();
    await page.getByText('failed, exit 3').waitFor();
    await page.getByLabel('Actor, by name, alias or id').fill('nosuch');
    await page.keyboard.press('Enter');
    await page.getByText('There is no actor "nosuch".').waitFor();
    await page
      .getByText('actorctl executions search --actor nosuch --outcome failed', { exact: false })
      .waitFor({ state: 'attached' });
    await page.goto(`${dashboard.baseUrl}/#/executions?q=${failed}`);
    await page.getByText('1 execution found', { exact: true }).waitFor();
    await page.getByText(`actorctl executions search ${failed}`, { exact: false }).waitFor({ state: 'attached' });
    await close();
  });

  it('a downloaded result that is not text keeps its bytes', async () => {
    const { page, close } = await dashboard.open(`executions/${await run('fail')}`);
    const bytes = Buffer.from('89504e470d0a1a0aff', 'hex');
    await page.route('**/results', (route) => route.fulfill({ body: bytes, contentType: 'application/octet-stream' }));
    await page.getByRole('button', { name: 'Take the oldest' }).click();
    await page.getByText('9 B of binary data.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download .*\.result-1\.bin/ }).click(),
    ]);
    expect(readFileSync(await download.path())).toEqual(bytes);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('shows, searches and downloads the log of a failed execution', async () => {
    const id = await run('twenty');
    const { page, close } = await dashboard.open(`executions/${id}`);
    await page.getByRole('log').getByText('line 1', { exact: true }).waitFor();
    await page.getByText('exit 1').first().waitFor();
    await page.getByLabel('Search the log').fill('line 2');
    await page.getByText('1 of 11').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 of 11').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 of 11').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Search the log').inputValue()).toBe('');
    await expect.poll(() => page.getByRole('log').locator('.is-hit').count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^line 1\nline 2\n[\s\S]*line 30\n$/);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('shows a log wrapped, as a table, in full screen, and at the line of the address', async () => {
    const id = await run('rows');
    const { page, complaints, close } = await dashboard.open(`executions/${id}`);
    const log = page.getByRole('log');
    const isWide = () => log.evaluate((box) => box.scrollWidth > box.clientWidth + 1);
    await log.getByText('"level":"info"').first().waitFor();
    expect(await isWide()).toBe(true);
    await page.getByLabel('Wrap').check();
    await expect.poll(isWide).toBe(false);
    await page.getByLabel('Table').check();
    await log.getByText('level', { exact: true }).waitFor();
    expect(await isWide()).toBe(false);
    expect(await violations(page)).toEqual([]);
    const first = log.getByRole('link').first();
    const number = await first.textContent();
    await first.click();
    expect(page.url()).toMatch(new RegExp(`#L${number}$`));
    await page.goto(`${dashboard.baseUrl}/?again=1#/executions/${id}#L250`);
    await log.locator('.is-hit').getByText('"n":250,').waitFor();
    await page.getByRole('button', { name: 'Full screen' }).click();
    await expect.poll(() => page.evaluate('document.fullscreenElement?.className')).toContain('log-panel');
    await page.getByRole('button', { name: 'Full screen' }).click();
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it('a log that reached its size limit says that its middle is missing, and so does its search', async () => {
    const id = await run('much');
    const { page, complaints, close } = await dashboard.open(`executions/${id}`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText(/^[\d,]+ lines, cut in the middle$/).waitFor();
    await page.getByText(/^cut in the middle: at least [\d.]+ .?B left out$/).waitFor();
    const field = log.getByRole('searchbox');
    await field.fill('line 60000 of');
    await log.getByText('not found in the parts that are kept').waitFor();
    await field.fill('line 99999 of');
    await log.getByText('1 of 1', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('a message is edited and sent again', async () => {
    const id = await run('first words');
    const { page, close } = await dashboard.open(`executions/${id}`);
    await page.getByRole('link', { name: 'Edit message and run again' }).click();
    const field = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => field.inputValue()).toBe('first words');
    await page.getByText(`The message of ${id}`).waitFor();
    await field.fill('other words');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('log').getByText('got: other words').waitFor();
    await page.locator('.sent').getByRole('link').click();
    await page.getByRole('region', { name: 'Execution' }).getByRole('link', { name: id }).waitFor();
    await page.goto(`${dashboard.baseUrl}/?again=2#/actors/${shell}?from=nosuch`);
    await page.getByText('There is no such execution').waitFor();
    await close();
  });

  it('the messages that wait for an actor are listed with the reason, and cancelled together', async () => {
    const { id } = await dashboard.home.json<{ id: string }>('actors', 'create', 'no/such-image', '--name', 'stuck');
    await dashboard.home.cli(['send', 'stuck', '-m', 'waits', '--repeat', '7']);
    const { page, close } = await dashboard.open(`actors/${id}`);
    const panel = page.getByRole('region', { name: '7 waiting messages' });
    await panel.getByText('and 2 more').waitFor();
    await panel.getByText(/^They wait until the actor/).waitFor();
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Cancel all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the messages' }).click();
    await panel.waitFor({ state: 'detached' });
    const { stdout } = await dashboard.home.cli(['executions', 'list', 'stuck', '--json']);
    expect(stdout.match(/"CANCELLED"/g)).toHaveLength(7);
    await close();
  });

  it('R173 leaves escape sequences out of a log', async () => {
    const id = await run('escape');
    const { page, complaints, close } = await dashboard.open(`executions/${id}`);
    await page.getByRole('log').getByText('red', { exact: true }).waitFor();
    expect(await page.title()).toBe(`Executions · ${id} · actorctl`);
    expect(complaints).toEqual([]);
    await close();
  });

  it('follows a running execution live, stops it, and reruns it', async () => {
    const { stdout } = await dashboard.home.cli(['send', shell, '-m', 'hang', '-o', 'id']);
    const { page, close } = await dashboard.open(`executions/${stdout.trim()}`);
    await page.getByText('running', { exact: true }).first().waitFor();
    await page.getByRole('log').getByText('started').waitFor();
    await page.getByText(`actorctl executions halt ${stdout.trim()}`, { exact: false }).waitFor({ state: 'attached' });
    await page.getByLabel('Search the log').fill('started');
    const again = page.getByRole('button', { name: 'Run again', exact: true });
    expect(await again.isDisabled()).toBe(true);
    const halt = page.getByRole('button', { name: 'Halt', exact: true });
    await halt.click();
    const question = page.getByRole('dialog', { name: /^Halt execution/ });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await halt.click();
    await question.getByRole('button', { name: 'Halt', exact: true }).click();
    await page.locator('.summary').getByText('halted').waitFor();
    // A second click at the same place does not run it again.
    expect(await halt.isDisabled()).toBe(true);
    expect(await page.getByLabel('Search the log').inputValue()).toBe('started');
    await again.click();
    await page.getByText('This is its new execution').waitFor();
    await halt.click();
    await question.getByRole('button', { name: 'Halt', exact: true }).click();
    await page.getByText('halted').first().waitFor();
    await page.getByRole('link', { name: 'Events' }).click();
    const event = page.getByRole('row', { name: new RegExp(stdout.trim()) });
    await expect.poll(() => event.getByRole('cell').nth(3).textContent()).toBe('halted');
    await close();
  });

  it('shows the message, the causes and the effects of an execution', async () => {
    const id = await run('<b>hello</b>');
    const { page, close } = await dashboard.open(`executions/${id}`);
    await heading(page, /Executions/);
    await page.locator('pre').getByText('<b>hello</b>').waitFor();
    const tree = page.locator('.tree');
    await tree.getByText('message from dev').waitFor();
    await tree.getByText('EXECUTION_COMPLETE').waitFor();
    const command = page.getByRole('region', { name: 'Why' }).getByRole('button', { name: 'Show the command line' });
    expect(await command.evaluate(({ clientWidth }) => clientWidth)).toBeLessThan(60);
    await tree.getByRole('link', { name: 'idle' }).click();
    await page.getByText('waiting').first().waitFor();
    await page.locator('.tree').getByRole('link', { name: 'shell' }).waitFor();
    await close();
  });

  it('updates the effects of an execution while they run', async () => {
    const gate = join(dashboard.home.folder, 'gate');
    const image = scriptImage(dashboard.home, `until [ -e ${gate} ]; do sleep 0.05; done`);
    await dashboard.home.json('actors', 'create', image, '--name', 'gated', '--wait');
    await dashboard.actor('first');
    await dashboard.home.cli(['links', 'set', 'first', 'gated']);
    const { stdout } = await dashboard.home.cli(['run', 'first', '-m', 'x', '--json']);
    const { execution_id } = JSON.parse(stdout) as { execution_id: string };
    const { page, close } = await dashboard.open(`executions/${execution_id}`);
    const effect = page.locator('.tree li').filter({ hasText: 'along the link' }).last();
    await effect.getByText('running', { exact: true }).waitFor();
    writeFileSync(gate, '');
    await effect.getByText('complete', { exact: true }).waitFor();
    await close();
  });

  it('fit the width of a phone', async () => {
    const id = await run('fail');
    const { page, close } = await dashboard.open(`executions/${id}`, { viewport: { width: 375, height: 800 } });
    await page.getByRole('log').getByText('trouble').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    await page.goto(`${dashboard.baseUrl}/#/executions`);
    await page.getByText(/\d executions/).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('has a log with times, a mark for stderr and steps between the hits of a search', async () => {
    const id = await run('fail');
    const { page, close } = await dashboard.open(`executions/${id}`);
    await page.getByRole('log').getByText('trouble').waitFor();
    await page.locator('.legend').getByText('stderr').waitFor();
    await page.getByLabel('Times').check();
    await page
      .getByRole('log')
      .getByText(/\d\d:\d\d:\d\d\.\d{3} /)
      .first()
      .waitFor();
    await page.getByLabel('Search the log').fill('e');
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.getByRole('button', { name: 'Next hit' }).click();
    await page.getByText(/^2 of \d+$/).waitFor();
    await page.getByRole('button', { name: 'Previous hit' }).click();
    await page.getByText(/^1 of \d+$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('gives the place of a waiting execution and its reason, and cancels it', async () => {
    await dashboard.home.json('actors', 'create', 'no/such-image', '--name', 'queued');
    await dashboard.home.cli(['send', 'queued', '-m', 'waits', '--repeat', '3']);
    const { stdout } = await dashboard.home.cli(['messages', 'list', 'queued', '-o', 'json']);
    const [, second] = JSON.parse(stdout) as { readonly execution_id: string }[];
    const id = second?.execution_id ?? '';
    const { page, complaints, close } = await dashboard.open(`executions/${id}`);
    await page.getByText(/^Place 2 of 3\. It waits until the actor is repaired\.$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const question = page.getByRole('dialog', { name: `Cancel execution ${id}?` });
    await question.getByText(`actorctl messages purge queued --execution ${id}`).waitFor();
    await question.getByRole('button', { name: 'Cancel the message' }).click();
    await page.locator('.summary').getByText('cancelled', { exact: true }).waitFor();
    await page.getByText(/^Place/).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('says that an execution does not exist', async () => {
    const { page, close } = await dashboard.open('executions/nosuch');
    await page.getByRole('alert').waitFor();
    await close();
  });
});
