// What a person types on the page of an actor, in a real Chromium: nothing of it is lost, and nothing is sent twice.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'what is typed on the page of an actor', () => {
  let dashboard: Dashboard;
  let report: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    report = await dashboard.actor('report');
  });
  afterAll(() => dashboard?.close());

  it('a message is kept in its form, and sent once although the response is lost', async () => {
    const { page, close } = await dashboard.open(`actors/${report}`);
    const box = page.getByRole('textbox', { name: 'Message' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    const log = page.getByRole('log');
    await box.fill('half');
    await page.getByRole('link', { name: 'Description', exact: true }).click();
    await page.getByRole('heading', { name: 'Schedule' }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    expect(await box.inputValue()).toBe('half');
    const keys: (string | undefined)[] = [];
    await page.route('**/messages', async (route) => {
      keys.push((await route.request().allHeaders())['idempotency-key']);
      const response = await route.fetch();
      await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await box.fill('only once');
    await send.click();
    await page
      .getByRole('alert')
      .getByText('The message may have been sent. Send again: it is not sent twice.')
      .waitFor();
    await send.click();
    await log.getByText('got: only once').waitFor();
    // The same text, sent once more on purpose.
    await send.click();
    await expect.poll(() => keys.length).toBe(3);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[1]);
    await log.getByText('got: only once').waitFor();
    const { stdout } = await dashboard.home.cli(['executions', 'list', report, '--json']);
    const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    const texts = await Promise.all(
      ids.map(async (id) => (await dashboard.home.cli(['executions', 'logs', id])).stdout),
    );
    expect(texts.filter((text) => text.includes('got: only once'))).toHaveLength(2);
    // A message that was sent is not offered again.
    await page.getByRole('link', { name: 'Description', exact: true }).click();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    expect(await box.inputValue()).toBe('');
    await box.fill('before the file');
    await send.click();
    await log.getByText('got: before the file').waitFor();
    await page.getByLabel('File', { exact: true }).check();
    const file = { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(12_000_000) };
    await page.getByLabel('File to send').setInputFiles(file);
    await send.click();
    await page.getByRole('alert').getByText('The file has 12.0 MB. The limit of a message is 10.5 MB.').waitFor();
    expect(await log.count()).toBe(0);
    expect(keys).toHaveLength(4);
    await close();
  });

  it('a draft of an actor is kept when the actor changes elsewhere, and is saved with the change', async () => {
    const beta = await dashboard.actor('beta');
    const elsewhere = async (description: string) =>
      expect((await dashboard.home.cli(['actors', 'update', 'beta', '--description', description])).code).toBe(0);
    const { page, complaints, close } = await dashboard.open(`actors/${beta}?tab=edit`);
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    const [description, memory] = [field('Description'), field('Memory')];
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    await memory.fill('256m');
    await elsewhere('theirs');
    await page.getByText('Changed meanwhile elsewhere: Description.', { exact: true }).waitFor();
    expect(await memory.inputValue()).toBe('256m');
    await page.getByText('actorctl actors update --memory 256m beta').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await edit.click();
    expect(await memory.inputValue()).toBe('256m');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes are saved.').waitFor();
    const shown = () => dashboard.home.json('actors', 'show', 'beta');
    expect(await shown()).toMatchObject({ description: 'theirs', mem_limit: '256m' });
    await edit.click();
    await description.fill('mine');
    await elsewhere('theirs again');
    const replaced =
      'Changed meanwhile elsewhere: Description. Saving replaces the new value of Description with yours.';
    await page.getByText(replaced).waitFor();
    await page.getByRole('button', { name: 'Save mine over it' }).waitFor();
    expect(await description.inputValue()).toBe('mine');
    await page.getByRole('button', { name: 'Load the new values' }).click();
    expect(await description.inputValue()).toBe('theirs again');
    await description.fill('mine after all');
    await page.getByRole('button', { name: 'Save' }).click();
    // The form is left when the service has answered.
    await description.waitFor({ state: 'detached' });
    expect(await shown()).toMatchObject({ description: 'mine after all', mem_limit: '256m' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('a draft of a new actor is kept until it is cancelled', async () => {
    const { page, close } = await dashboard.open('actors');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const begin = page.getByRole('link', { name: 'New actor' });
    await begin.click();
    await name.fill('half-written');
    await page.goBack();
    await begin.click();
    expect(await name.inputValue()).toBe('half-written');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await begin.click();
    await name.waitFor();
    expect(await name.inputValue()).toBe('');
    await close();
  });

  it('stays readable when the actor is deleted elsewhere, which every part of the page says', async () => {
    const gone = await dashboard.actor('gone');
    const { page, close } = await dashboard.open('actors/gone');
    const description = page.getByRole('textbox', { name: 'Description' });
    const notice = page.getByRole('alert').getByText('This actor was deleted.');
    const isOff = (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled');
    await page.getByRole('textbox', { name: 'Message' }).fill('a long message');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await description.fill('a long text');
    await dashboard.home.cli(['actors', 'delete', gone, '--yes']);
    await notice.waitFor();
    expect(await description.inputValue()).toBe('a long text');
    expect(await isOff('Save')).toBe('true');
    for (const name of ['Edit', 'Delete'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await page.getByText('There is no such actor').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Description', exact: true }).click();
    await notice.waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await notice.waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('a long message');
    expect(await isOff('Send')).toBe('true');
    await page.getByRole('link', { name: 'Back to actors' }).click();
    await heading(page, 'Actors');
    await close();
  });
});
