// The folder picker in the form of an actor, in a real Chromium: by keyboard and by mouse.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the folder picker', () => {
  let dashboard: Dashboard;
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'actorctl-folders-')));
  const write = (name: string, text: string): void => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent');
  const typePath = async (page: Page, path: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Path of the folder' }).fill(path);
    await page.getByRole('textbox', { name: 'Path of the folder' }).press('Enter');
  };

  beforeAll(async () => {
    write('here/notes/readme', 'text');
    write('here/weather/actor.json', '{"command": ["sh", "-c", "echo in $CITY"]}');
    write(
      'here/weather/actorctl.json',
      JSON.stringify({
        name: 'weather',
        description: 'Reads the weather',
        env: { CITY: 'Bern' },
        time_limit: 60,
        stateless: false,
        hints: ['nightly'],
        alias: 'w',
      }),
    );
    write('here/wrong/actor.json', '{"command": ["true"]}');
    write('here/wrong/actorctl.json', '{"memori": "64m"}');
    dashboard = await startDashboard();
  });
  afterAll(async () => {
    await dashboard?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('is used with the keys alone, and an actor is created from the folder', async () => {
    const { page, complaints, close } = await dashboard.open('actors?create=yes');
    await page.getByRole('button', { name: 'Choose a folder' }).press('Enter');
    await page.getByRole('list', { name: /^Folders in / }).waitFor();
    await typePath(page, join(root, 'here'));
    await page.getByRole('list', { name: `Folders in ${root}/here` }).waitFor();
    await expect.poll(() => focused(page)).toBe(`Up to ${root}`);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('notes');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('weather, an actor');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('list', { name: `Folders in ${root}`, exact: true }).waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toBe('here');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: `Folders in ${root}/here` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText(`${root}/here/weather is an actor.`).waitFor();
    await page.getByRole('button', { name: 'Use this folder' }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Choose a folder');
    expect(await page.getByRole('combobox', { name: /^Image/ }).inputValue()).toBe(`file://${root}/here/weather`);
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('weather');
    expect(await page.getByRole('textbox', { name: /^Variables/ }).inputValue()).toBe('CITY=Bern');
    expect(await page.getByRole('checkbox', { name: /^Stateful/ }).isChecked()).toBe(true);
    await page.getByText('Also taken from actorctl.json: hints.').waitFor();
    await page.getByText('Not taken from actorctl.json: alias.').waitFor();
    await page.getByText(`actorctl actors create ${root}/here/weather --wait`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading(page, /weather/);
    expect(await dashboard.home.json('actors', 'show', 'weather')).toMatchObject({
      image: `file://${root}/here/weather`,
      description: 'Reads the weather',
      default_environment: { CITY: 'Bern' },
      max_run_time: 60,
      stateless: false,
      hints: ['nightly'],
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it('names the error of a folder and of a project file, and cannot use it', async () => {
    const { page, close } = await dashboard.open('actors?create=yes');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('list', { name: /^Folders in / }).waitFor();
    await typePath(page, 'here');
    await page.getByRole('alert').getByText('"here" is not an absolute path').waitFor();
    await typePath(page, join(root, 'nosuch'));
    await page.getByRole('alert').getByText('does not exist').waitFor();
    await typePath(page, join(root, 'here'));
    await page.getByText('here has no actor.json').waitFor();
    const use = page.getByRole('button', { name: 'Use this folder' });
    expect(await use.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'wrong, an actor' }).click();
    await page.getByText('no field named "memori"').waitFor();
    expect(await use.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('replaces what another folder filled, and keeps what was typed before', async () => {
    write('plain/actor.json', '{"command": ["true"]}');
    const { page, close } = await dashboard.open('actors?create=yes', { viewport: { width: 375, height: 800 } });
    await page.getByRole('textbox', { name: 'Memory' }).fill('64m');
    for (const name of ['here/weather', 'plain']) {
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('list', { name: /^Folders in / }).waitFor();
      await typePath(page, join(root, name));
      await page.getByText(`${root}/${name} is an actor.`).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      await page.getByRole('button', { name: 'Use this folder' }).click();
    }
    expect(await page.getByRole('textbox', { name: 'Memory' }).inputValue()).toBe('64m');
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('');
    expect(await page.getByRole('textbox', { name: /^Variables/ }).inputValue()).toBe('');
    expect(await page.getByText('Also taken from actorctl.json').count()).toBe(0);
    await close();
  });

  it('is not offered to a user without the role admin', async () => {
    await dashboard.home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/#/actors?create=yes`);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill('a-long-password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const asked = page.waitForResponse((response) => response.url().endsWith('/actors/v2/admin/images'));
    await heading(page, /New/);
    expect((await asked).status()).toBe(403);
    await page.getByRole('combobox', { name: /^Image/ }).fill('typed:1');
    expect(await page.getByRole('button', { name: 'Choose a folder' }).count()).toBe(0);
    await close();
  });
});
