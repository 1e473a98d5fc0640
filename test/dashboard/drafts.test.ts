// What a person types on the page of an actor, in a real Chromium: nothing of it is lost, and nothing is sent twice.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, startDashboard } from '../support/browser/dashboard.ts';
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
});
