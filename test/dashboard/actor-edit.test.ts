// An actor in a real Chromium: it is created, edited, tried again and deleted on the page.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { type ListingEngine, listingEngine } from '../support/local/listing-engine.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'an actor on its page', () => {
  let dashboard: Dashboard;
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-engine-'));
  let engine: ListingEngine;
  let report: string;
  beforeAll(async () => {
    engine = await listingEngine(folder);
    dashboard = await startDashboard({ env: { DOCKER_HOST: engine.host } });
    report = await dashboard.actor('report');
  });
  afterAll(async () => {
    await dashboard?.close();
    await engine?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is created, edited and deleted on the page', async () => {
    const { page, complaints, close } = await dashboard.open('actors');
    await page.getByRole('link', { name: 'New actor' }).click();
    const image = page.getByRole('combobox', { name: /^Image/ });
    const field = (name: string) => page.getByRole('textbox', { name });
    const create = () => page.getByRole('button', { name: 'Create', exact: true }).click();
    const focused = () => page.evaluate('document.activeElement.id');
    const wrong = async () =>
      Promise.all(
        (await page.locator('[aria-invalid]').all()).map(async (each) =>
          page.locator(`[id="${await each.getAttribute('aria-describedby')}"]`).textContent(),
        ),
      );
    await expect.poll(focused).toBe('actor-image');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('made-here');
    await field('Processors').fill('many');
    await image.fill('file:///nosuch/folder');
    await page.getByRole('textbox', { name: /^Variables/ }).fill('CITY=Bern');
    await create();
    await expect.poll(focused).toBe('actor-cpus');
    expect(await wrong()).toEqual(['Processors must be a number like 2 or 0.5.']);
    await field('Processors').fill('');
    await create();
    await expect.poll(focused).toBe('actor-image');
    expect(await wrong()).toEqual([expect.stringContaining('it does not exist')]);
    await page
      .getByText('actorctl actors create file:///nosuch/folder --name made-here -e CITY=Bern')
      .waitFor({ state: 'attached' });
    await image.fill(dashboard.image);
    // What the service refuses stands beside its field too, in the words of the form.
    await field('Time limit in seconds').fill('0');
    await field('Memory').fill('lots');
    await create();
    await expect.poll(focused).toBe('actor-memory');
    const ofTime = expect.stringMatching(/^Time limit must be /);
    expect(await wrong()).toEqual(['Memory must look like 512m or 1g, or be -1.', ofTime]);
    expect(await violations(page)).toEqual([]);
    for (const name of ['Time limit in seconds', 'Memory']) await field(name).fill('');
    await create();
    await heading(page, /made-here/);
    await page.getByText('Created actor made-here.').waitFor();
    await page.getByText('ready').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: /^Variables/ }).fill('CITY=Basel');
    await page.getByRole('textbox', { name: 'Time limit in seconds' }).fill('60');
    await page
      .getByText('actorctl actors update -e CITY=Basel --time-limit 60s made-here')
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes are saved.').waitFor();
    expect(await dashboard.home.json('actors', 'show', 'made-here')).toMatchObject({
      default_environment: { CITY: 'Basel' },
      max_run_time: 60,
    });

    await page.getByRole('textbox', { name: 'Message' }).fill('hello');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .getByRole('region', { name: 'Runs of the actor' })
      .getByRole('row', { name: /complete/ })
      .waitFor();
    await dashboard.home.cli(['aliases', 'create', 'also', 'made-here']);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete the actor made-here?' });
    const lost = ['1 execution', 'alias also'];
    await expect.poll(() => question.getByRole('listitem').allTextContents()).toEqual(lost);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Delete');
    for (const given of [
      ['permissions', 'grant', 'made-here', 'bob=READ', 'zoe=NONE'],
      ['cron', 'set', 'made-here', '0 9 * * 1-5'],
      ['webhooks', 'set', 'made-here', 'http://127.0.0.1:9/a-long-key-of-a-receiver?key=k'],
      ['links', 'set', 'made-here', 'report'],
      ['nonces', 'create', 'made-here'],
    ])
      expect((await dashboard.home.cli(given)).code).toBe(0);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    lost.splice(1, 0, 'schedule 0 9 * * 1-5', 'webhook to http://127.0.0.1:9', 'link to report', '1 nonce');
    lost.splice(5, 0, 'permission of bob');
    await expect.poll(() => question.getByRole('listitem').allTextContents()).toEqual(lost);
    // The command names the same, in the same words.
    const { stdout } = await dashboard.home.cli(['actors', 'delete', 'made-here', '--dry-run']);
    expect(stdout).toContain(` with ${lost.slice(0, -1).join(', ')} and ${lost.at(-1)}\n`);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Deleted actor made-here.').waitFor();
    await page.getByRole('row', { name: /report/ }).waitFor();
    expect(await page.getByRole('row', { name: /made-here/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('is created from an image of the engine, whose failure the form names', async () => {
    engine.images.push({ RepoTags: ['words:1'], Size: 2_500_000, Created: 1_800_000_000 });
    const { page, complaints, close } = await dashboard.open('actors?create=yes');
    const offered = page.locator('#actor-images option');
    await expect
      .poll(() => offered.evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
      .toContain('words:1');
    expect(await page.locator('#actor-images option[value="words:1"]').getAttribute('label')).toBe('2.5 MB');
    await engine.close();
    await page.reload();
    await page.getByText(/^The list has no images of the container engine: .*engine\.sock/).waitFor();
    expect(await offered.evaluateAll((all) => all.map((each) => each.getAttribute('value')))).toEqual([
      dashboard.image,
    ]);
    await page.getByRole('combobox', { name: /^Image/ }).fill('typed:1');
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('in ERROR has its cause and is tried again', async () => {
    const { home } = dashboard;
    const folder = join(home.folder, 'late');
    mkdirSync(folder);
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['./late.sh'] }));
    writeFileSync(join(folder, 'late.sh'), '#!/bin/sh\necho late\n', { mode: 0o644 });
    const { id } = await home.json<{ id: string }>('actors', 'create', folder, '--name', 'late', '--wait');
    await home.cli(['send', 'late', '-m', 'x']);
    const { page, close } = await dashboard.open(`actors/${id}`);
    await page.locator('.summary').getByText('chmod +x').waitFor();
    chmodSync(join(folder, 'late.sh'), 0o755);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page
      .getByRole('region', { name: 'Runs of the actor' })
      .getByRole('row', { name: /complete/ })
      .waitFor();
    await close();
  });

  it('disables what the permission of the user does not allow', async () => {
    const { home } = dashboard;
    await home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    await home.cli(['permissions', 'grant', 'report', 'eve', 'READ']);
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/#/actors/${report}`);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill('a-long-password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, /report/);
    for (const name of ['Edit', 'Delete', 'Send'])
      await expect.poll(() => page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Send', exact: true }).getAttribute('title')).toBe(
      'This needs the permission EXECUTE. You have READ.',
    );
    // Only admins see the images of the engine: the form offers the images of actors, and reports no problem.
    await page.goto(`${dashboard.baseUrl}/#/actors?create=yes`);
    await page.locator(`#actor-images option[value="${dashboard.image}"]`).waitFor({ state: 'attached' });
    expect(await page.locator('#actor-images option').count()).toBe(1);
    expect(await page.getByText('container engine').count()).toBe(0);
    await close();
  });

  it('has a state that is edited without losing digits, and whose chosen version is in the address', async () => {
    const { home } = dashboard;
    const counter = await dashboard.actor('counter', '--stateful');
    await home.cli(['state', 'set', counter, '--value', '{"n":12345678901234567890}']);
    await home.cli(['state', 'set', counter, '--value', '{"n":12345678901234567891}']);
    const { page, complaints, close } = await dashboard.open(`actors/${counter}?tab=state`);
    await page.getByRole('button', { name: 'Show version 1' }).click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    expect(page.url()).toContain('version=1');
    await page.reload();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await page.getByRole('button', { name: 'Edit the state' }).click();
    const box = page.getByRole('textbox', { name: 'State, as JSON' });
    await expect.poll(() => box.inputValue()).toContain('12345678901234567891');
    await box.fill('{');
    await page.getByRole('button', { name: 'Set the state' }).click();
    await page.getByRole('alert').getByText('This is not JSON').waitFor();
    expect(await violations(page)).toEqual([]);
    // Another program is faster: its state is not overwritten.
    await home.cli(['state', 'set', counter, '--value', '{"n":1}']);
    await box.fill('{"n":12345678901234567892}');
    await page.getByRole('button', { name: 'Set the state' }).click();
    await page.getByRole('alert').getByText('The state was changed meanwhile: it is version 3 now.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Compare with version 3');
    await page.keyboard.press('Enter');
    const differences = page.getByRole('region', { name: /^Compared with version/ });
    const different = () => differences.locator('.is-removed, .is-added').allTextContents();
    await expect.poll(different).toEqual(['-   "n": 1\n', '+   "n": 12345678901234567892\n']);
    expect(await violations(page)).toEqual([]);
    await home.cli(['state', 'set', counter, '--value', '{"n":2}']);
    await page.getByRole('button', { name: 'Set mine over it' }).click();
    await page.getByRole('alert').getByText('it is version 4 now.').waitFor();
    await expect.poll(different).toEqual(['-   "n": 2\n', '+   "n": 12345678901234567892\n']);
    await page.getByRole('button', { name: 'Set mine over it' }).click();
    await page.getByText('The state is set, as a new version.').waitFor();
    expect((await home.cli(['state', 'get', counter])).stdout).toContain('12345678901234567892');
    expect(complaints).toEqual([]);
    await close();
  });
});
