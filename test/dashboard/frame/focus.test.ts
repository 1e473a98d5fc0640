// The focus in a real Chromium: an action that is done by keyboard leaves it in the page, never at its top.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement } from '../../support/browser/browser.ts';
import { type Dashboard, startDashboard } from '../../support/browser/dashboard.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().press('Enter');

interface Case {
  /** Names what is done. */
  readonly title: string;
  /** Prepares the platform and returns the view. */
  readonly view: (dashboard: Dashboard) => Promise<string>;
  readonly act: (page: Page, dashboard: Dashboard) => Promise<void>;
  /** The text of the element that has the focus afterwards. */
  readonly focused: RegExp;
}

const idOf = async ({ home }: Dashboard, ...args: string[]): Promise<string> =>
  (await home.cli([...args, '-o', 'id'])).stdout.trim().split('\n')[0] ?? '';

const cases: readonly Case[] = [
  {
    title: 'the word-count example, which opens its run',
    view: async () => '',
    act: async (page) => {
      await press(page, 'Run the word-count example');
      await page.getByRole('region', { name: 'Your first run' }).waitFor();
    },
    focused: /^Executions/,
  },
  {
    title: 'a message that is sent',
    view: async (dashboard) => `actors/${await dashboard.actor('shell')}`,
    act: async (page) => {
      await press(page, 'Send');
      await page.locator('.sent').getByText('complete').waitFor();
    },
    focused: /^Send$/,
  },
  {
    title: 'an execution that is halted',
    view: async (dashboard) => `executions/${await idOf(dashboard, 'send', 'shell', '-m', 'hang')}`,
    act: async (page) => {
      await page.getByRole('log').getByText('started').waitFor();
      await press(page, 'Halt');
      await page.getByRole('dialog').getByRole('button', { name: 'Halt', exact: true }).press('Enter');
      await page.locator('.summary').getByText('halted').waitFor();
    },
    focused: /^Halt$/,
  },
  {
    title: 'an execution that is run again',
    view: async (dashboard) => `executions/${await idOf(dashboard, 'run', 'shell', '-m', 'hi')}`,
    act: async (page) => {
      const before = page.url();
      await press(page, 'Run again');
      await expect.poll(() => page.url()).not.toBe(before);
      await page.locator('.summary').getByText('complete').waitFor();
    },
    focused: /^Executions/,
  },
  {
    title: 'a result that is taken',
    view: async (dashboard) => `executions/${await idOf(dashboard, 'run', 'shell', '-m', 'hi')}`,
    act: async (page) => {
      await press(page, 'Take the oldest');
      await page.getByText('There is no result to read.').waitFor();
    },
    focused: /^Take the oldest$/,
  },
  {
    title: 'a delivery that is sent again',
    view: async ({ home }) => {
      await home.cli(['webhooks', 'set', 'shell', 'http://127.0.0.1:9/hook']);
      await home.cli(['events', 'emit', 'REPORT', '--actor', 'shell']);
      return 'events/deliveries';
    },
    act: async (page) => {
      const row = page.getByRole('row', { name: /REPORT.*failed/ });
      await row.getByRole('button', { name: /^Redeliver / }).press('Enter');
      await page.getByRole('row', { name: /REPORT shell, again/ }).waitFor();
    },
    focused: /^Redeliver$/,
  },
  {
    title: 'an actor whose error is retried, so that the button disappears',
    view: async ({ home }) => {
      const folder = join(home.folder, 'late');
      mkdirSync(folder);
      writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['./late.sh'] }));
      writeFileSync(join(folder, 'late.sh'), '#!/bin/sh\necho late\n', { mode: 0o644 });
      const { id } = await home.json<{ id: string }>('actors', 'create', folder, '--name', 'late', '--wait');
      await home.cli(['send', 'late', '-m', 'x']);
      return `actors/${id}`;
    },
    act: async (page, { home }) => {
      await page.locator('.summary').getByText('chmod +x').waitFor();
      chmodSync(join(home.folder, 'late', 'late.sh'), 0o755);
      await press(page, 'Retry');
      await page.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
    },
    focused: /^Actors/,
  },
  {
    title: 'an actor that is not deleted after all',
    view: async () => 'actors/shell',
    act: async (page) => {
      await press(page, 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    focused: /^Delete$/,
  },
];

describeIf(browserRequirement(), 'the focus', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it.each(cases)('stays in the page after $title', async ({ view, act, focused }) => {
    const { page, complaints, close } = await dashboard.open(await view(dashboard));
    await act(page, dashboard);
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toMatch(focused);
    expect(complaints).toEqual([]);
    await close();
  });
});
