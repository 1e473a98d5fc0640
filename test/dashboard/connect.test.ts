// An actor in a real Chromium is connected on its page: link, webhook, alias, schedule, permission and nonce.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'an actor on its page', () => {
  let dashboard: Dashboard;
  let report: string;
  let counter: string;
  let receiver: Server;
  let response = 204;
  const shown = (actor = 'report') => dashboard.home.json('actors', 'show', actor);
  beforeAll(async () => {
    dashboard = await startDashboard();
    report = await dashboard.actor('report', '-e', 'CITY=Bern');
    counter = await dashboard.actor('counter');
    receiver = createServer((request, reply) => {
      request.resume();
      reply.writeHead(response).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    receiver?.close();
    await dashboard?.close();
  });

  it('gets a link by the name of the other actor, and the words of the loop check for the way back', async () => {
    const { page, complaints, close } = await dashboard.open(`actors/${report}?tab=about`);
    await page.getByRole('button', { name: 'Set a link' }).click();
    const form = page.getByRole('form', { name: 'Set a link' });
    await form.getByRole('combobox').fill('counter');
    await form.getByText('actorctl links set report counter').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Events go to counter now.').waitFor();
    await page.getByRole('link', { name: 'counter' }).click();
    await heading(page, /counter/);
    await page.getByRole('link', { name: 'Description' }).click();
    await page.getByRole('button', { name: 'Set a link' }).click();
    await form.getByRole('combobox').fill('report');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').getByText(/loop/).waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    expect(await shown()).toMatchObject({ link: counter, default_environment: { CITY: 'Bern' } });
    expect(complaints).toEqual([]);
    await close();
  });

  it('gets a webhook, an alias, and a schedule that is previewed, switched off and on, and removed', async () => {
    const { page, close } = await dashboard.open(`actors/${report}?tab=about`);
    await page.getByRole('button', { name: 'Set a webhook' }).click();
    await page.getByRole('textbox', { name: /^Events are posted to/ }).fill('http://127.0.0.1:9/hook');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The webhook is set.').waitFor();
    await page.getByRole('button', { name: 'New alias' }).click();
    await page.getByRole('textbox', { name: 'Alias' }).fill('weekly');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.locator('dd').getByText('weekly', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Set a schedule' }).click();
    await page.getByRole('textbox', { name: /^Schedule/ }).fill('61 * * * *');
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Zurich');
    await page.getByRole('textbox', { name: /^Message/ }).fill('good morning');
    const form = page.getByRole('form', { name: 'Set a schedule' });
    await form.getByText(/^Schedule "61/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('61 * * * *');
    const wrong = form.locator('[aria-invalid]');
    const problem = async () => form.locator(`[id="${await wrong.getAttribute('aria-describedby')}"]`).textContent();
    expect(await problem()).toMatch(/^Schedule "61 \* \* \* \*" is not a schedule: /);
    await page.getByRole('textbox', { name: /^Schedule/ }).fill('0 9 * * 1-5');
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Zurich');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => wrong.inputValue()).toBe('Zurich');
    expect(await problem()).toBe('Time zone must be the name of a time zone, like Europe/Berlin or UTC.');
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Zurich');
    await page.getByRole('textbox', { name: /^Schedule/ }).fill('@daily');
    await form.getByText('good morning', { exact: true }).waitFor();
    const times = await form.locator('time').allTextContents();
    expect([times.length, times[0]]).toEqual([
      3,
      expect.stringMatching(/^\w{3} \d{4}-\d\d-\d\d 00:00 Europe\/Zurich$/),
    ]);
    expect(await violations(page)).toEqual([]);
    expect(await shown()).not.toHaveProperty('cron_schedule');
    await page
      .getByText("actorctl cron set report @daily --tz Europe/Zurich --message 'good morning'")
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('in Europe/Zurich').waitFor();
    await page
      .locator('time', { hasText: /00:00 Europe\/Zurich$/ })
      .nth(4)
      .waitFor();
    expect(await shown()).toMatchObject({
      link: counter,
      webhook: 'http://127.0.0.1:9/hook',
      cron_schedule: '@daily',
      cron_time_zone: 'Europe/Zurich',
      cron_message: 'good morning',
      cron_on: true,
    });
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('The schedule is off. Switched on, it would run next:').waitFor();
    await page.getByText('actorctl cron enable report').waitFor({ state: 'attached' });
    expect(await shown()).toMatchObject({ cron_on: false, cron_message: 'good morning' });
    await page.getByRole('button', { name: 'Change the schedule' }).click();
    await page.getByText('Saving switches the schedule on. It would run next:').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    expect(await shown()).toMatchObject({ cron_on: true });
    await page.getByRole('button', { name: 'Remove the schedule' }).click();
    await page
      .getByRole('dialog', { name: 'Remove the schedule of report?' })
      .getByText('Remove', { exact: true })
      .click();
    await page.getByText('No schedule.').waitFor();
    await close();
  });

  it('tests its webhook, says the outcome, and loses the webhook after a question', async () => {
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { page, complaints, close } = await dashboard.open(`actors/${counter}?tab=about`);
    const test = page.getByRole('button', { name: 'Test the webhook' });
    await page.getByRole('button', { name: 'Set a webhook' }).click();
    await page.getByRole('textbox', { name: /^Events are posted to/ }).fill(hook);
    await page.getByRole('button', { name: 'Save' }).click();
    await test.click();
    await page.getByText(new RegExp(`^POST ${hook}: delivered 204 in \\d`)).waitFor();
    response = 503;
    await test.click();
    await page.getByText(new RegExp(`^POST ${hook}: failed: 503 in \\d`)).waitFor();
    await page.getByText('actorctl webhooks test counter').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the webhook' }).click();
    await page
      .getByRole('dialog', { name: 'Remove the webhook of counter?' })
      .getByText('Remove', { exact: true })
      .click();
    await test.waitFor({ state: 'hidden' });
    expect(await shown('counter')).toMatchObject({ webhook: '' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('gets an alias that is pointed to another actor, and one that is deleted', async () => {
    const { page, close } = await dashboard.open(`actors/${report}?tab=about`);
    const create = async (alias: string): Promise<void> => {
      await page.getByRole('button', { name: 'New alias' }).click();
      await page.getByRole('textbox', { name: 'Alias' }).fill(alias);
      if (alias === 'counter') await page.getByText(`"counter" is also the name of the actor ${counter}`).waitFor();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText(`The alias ${alias} points to this actor.`).waitFor();
    };
    await create('moving');
    await create('counter');
    await page.getByRole('button', { name: 'Delete counter' }).click();
    await page.getByRole('dialog', { name: 'Delete the alias counter?' }).getByText('Delete', { exact: true }).click();
    await page.getByText('The alias counter is deleted.').waitFor();
    await page.getByRole('button', { name: 'Repoint moving' }).click();
    const form = page.getByRole('form', { name: 'Repoint moving' });
    await form.getByRole('combobox').fill('counter');
    await form.getByText('actorctl aliases set moving counter').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Repoint' }).click();
    await form.waitFor({ state: 'hidden' });
    expect(await dashboard.home.json('aliases', 'show', 'moving')).toMatchObject({ actor_id: counter });
    await close();
  });

  it('gets permissions, loses one, and gets a nonce whose address sends a message', async () => {
    await dashboard.home.cli(['users', 'create', 'bob', '--generate']);
    const { page, close } = await dashboard.open(`actors/${report}?tab=access`);
    await page.getByRole('button', { name: 'Grant a permission' }).click();
    await page.getByRole('textbox', { name: /^User/ }).fill('bob');
    await page.getByRole('combobox', { name: /^Level/ }).selectOption('EXECUTE');
    await page.getByText('actorctl permissions grant report bob EXECUTE').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByRole('row', { name: 'bob EXECUTE' }).waitFor();
    await page.getByText('Granted EXECUTE to bob.').waitFor();
    const warning = page.getByText(/^There is no user/);
    expect(await warning.count()).toBe(0);
    // A typing mistake is reported in the words of the command.
    await page.getByRole('button', { name: 'Grant a permission' }).click();
    await page.getByRole('textbox', { name: /^User/ }).fill('zed');
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByRole('row', { name: 'zed READ' }).waitFor();
    const text = 'here is no user "zed". A user created later with that name will have this permission';
    expect(await warning.textContent()).toBe(`T${text}.`);
    const { stderr } = await dashboard.home.cli(['permissions', 'grant', 'report', 'zed', 'READ']);
    expect(stderr).toContain(`t${text}`);
    await page.getByRole('button', { name: 'Revoke the permission of zed' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke READ from zed?' });
    await question.getByText('actorctl permissions revoke report zed').waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke the permission of zed' }).click();
    await question.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Revoked the permission of zed.').waitFor();
    await expect.poll(() => page.getByRole('row', { name: /zed|NONE/ }).count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Permissions');
    expect(await warning.count()).toBe(0);
    const { stdout } = await dashboard.home.cli(['permissions', 'list', 'report']);
    expect(stdout).not.toContain('zed');
    await page.getByRole('button', { name: 'Create a nonce' }).click();
    await page.getByRole('textbox', { name: /^Number of uses/ }).fill('1');
    await page.getByText('actorctl nonces create --level EXECUTE --max-uses 1 report').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const address = await page.locator('.once code').textContent();
    expect(await violations(page)).toEqual([]);
    const send = () => fetch(address ?? '', { method: 'POST', body: new URLSearchParams({ message: 'by nonce' }) });
    expect([(await send()).status, (await send()).ok]).toEqual([200, false]);
    // The list of all nonces has the same form, which asks for the actor.
    await page.goto(`${dashboard.baseUrl}/#/access/nonces`);
    await page.getByRole('button', { name: 'New nonce' }).click();
    await page.getByRole('combobox', { name: /^Actor/ }).fill('report');
    // A limit that is not a number is not taken for none.
    for (const [label, text, problem] of [
      [/^Number of uses/, 'ten', 'The number of uses is a whole number above 0, or empty.'],
      [/^Lifetime/, '24h', 'The lifetime in hours is a number above 0, or empty.'],
    ] as const) {
      await page.getByLabel(label).fill(text);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('alert').getByText(problem).waitFor();
      await page.getByLabel(label).fill('');
    }
    await page.getByLabel(/^Number of uses/).fill('7');
    await page.getByText('actorctl nonces create --level EXECUTE --max-uses 7 report').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('row', { name: /report.*7 of 7 uses left/ }).waitFor();
    expect(await page.locator('.once').textContent()).toContain(`/actors/v2/${report}/messages?x-nonce=`);
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
