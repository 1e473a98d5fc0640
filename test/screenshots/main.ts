// `npm run screenshots` creates the pictures of README.md and of the pages, with data of a busy hour.
// `npm run screenshots -- --all DIR [--widths 375,1280]` takes every view, light and dark, to be looked at.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser, visitor } from '../support/browser/browser.ts';
import { inProcessHome } from '../support/daemon/home.ts';
import { makeData } from './data.ts';
import { smallPng } from './small-png.ts';

interface Picture {
  readonly name: string;
  /** The address after `#/`, or the path of another page. */
  readonly place: string;
  /** Opened by somebody who is not logged in. */
  readonly isStranger?: boolean;
  /** Text that shows that the view is complete. */
  readonly shows: string | RegExp;
  /** What is done in the view first. */
  readonly act?: (page: Page) => Promise<void>;
  /** The theme of the picture in docs/img. Absent: the view is taken with `--all` only. */
  readonly shown?: 'light' | 'dark';
}

const { values } = parseArgs({
  options: {
    all: { type: 'string' },
    widths: { type: 'string', default: '375,768,1280,1920' },
  },
});

const home = inProcessHome({ ACTORCTL_BROWSER: 'none' });
const browser = await launchBrowser();
/** The time in which what was read last is drawn, and the chart. */
const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
};

try {
  const { actors, execution, secret, phone, baseUrl, close } = await makeData(home);
  const report = actors.get('weekly-report') ?? '';
  const forecast = actors.get('forecast') ?? '';
  const consent = new URLSearchParams({
    response_type: 'token',
    client_id: phone,
    redirect_uri: 'http://127.0.0.1:3000/done',
    scope: 'PRODUCTION',
    state: 'picture',
  });
  const tryFlow = async (page: Page): Promise<void> => {
    await page.getByLabel('Secret of the client').fill(secret);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Call the API' }).click();
  };
  const letFlow = async (page: Page): Promise<void> => {
    for (const name of ['ingest', 'geocode', 'geocode']) await home.cli(['events', 'emit', 'READING', '--actor', name]);
    await page.locator('.wire-label.is-active').first().waitFor();
  };
  const pictures: readonly Picture[] = [
    { name: 'overview', place: '', shows: 'Running now', shown: 'light' },
    { name: 'actors', place: 'actors', shows: /\d of \d/ },
    { name: 'actor', place: `actors/${report}`, shows: 'Send a message' },
    { name: 'about', place: `actors/${report}?tab=about`, shows: '0 6 * * 1' },
    { name: 'state', place: `actors/${forecast}?tab=state`, shows: 'Compare with' },
    { name: 'edit', place: `actors/${report}?tab=edit`, shows: 'Save' },
    {
      name: 'delete',
      place: `actors/${report}`,
      shows: /^Delete/,
      act: (page) => page.getByRole('button', { name: 'Delete', exact: true }).click(),
    },
    { name: 'permissions', place: `actors/${report}?tab=access`, shows: 'uses left' },
    { name: 'executions', place: 'executions', shows: /\d executions/, shown: 'dark' },
    { name: 'found', place: 'executions?q=report', shows: /\d executions found$/ },
    { name: 'execution', place: `executions/${execution}`, shows: 'wrote report.html' },
    { name: 'events', place: 'events', shows: 'the newest first' },
    { name: 'event', place: 'events/1', shows: 'event_type' },
    { name: 'deliveries', place: 'events/deliveries', shows: 'Receiver' },
    {
      name: 'delivery',
      place: 'events/deliveries',
      shows: /^Response/,
      act: (page) => page.locator('tbody tr').nth(2).getByRole('link').last().click(),
    },
    { name: 'wiring', place: 'wiring', shows: 'weekly-report', act: letFlow },
    { name: 'edge', place: `wiring?edge=link:${report}`, shows: 'its execution', act: letFlow, shown: 'light' },
    { name: 'access', place: 'access', shows: 'web-app' },
    { name: 'client', place: 'access/clients/web-app', shows: 'The page of the duty officer' },
    {
      name: 'flow',
      place: 'access/try?client=web-app&flow=client',
      shows: 'Call the API with the access token',
      act: tryFlow,
      shown: 'light',
    },
    { name: 'nonces', place: 'access/nonces', shows: 'uses left' },
    { name: 'configs', place: 'access/configs', shows: 'stations' },
    { name: 'config', place: 'access/configs/stations', shows: 'Aare' },
    { name: 'logins', place: 'access/logins', shows: 'Log out of this browser' },
    { name: 'users', place: 'access/users', shows: 'New user' },
    { name: 'user', place: 'access/users/dev', shows: 'New password' },
    { name: 'new-actor', place: 'actors?create=yes', shows: 'Choose a folder' },
    {
      name: 'palette',
      place: 'actors',
      shows: 'weekly-report',
      act: async (page) => {
        await page.keyboard.press('Control+k');
        await page.locator('#palette-0').waitFor();
      },
    },
    { name: 'docs', place: '/docs', shows: 'Back to the dashboard' },
    { name: 'login', place: '/', shows: 'Password', isStranger: true },
    { name: 'consent', place: `/authorize?${consent}`, shows: 'Approve' },
    { name: 'refused', place: '/authorize?client_id=none', shows: 'client_id' },
  ];
  const widths = values.all === undefined ? [1_280] : values.widths.split(',').map(Number);
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const folder = values.all === undefined ? 'docs/img' : path.join(values.all, `${colorScheme}-${width}`);
      mkdirSync(folder, { recursive: true });
      const viewport = { width, height: width < 720 ? 812 : width < 2_000 ? 860 : 1_300 };
      const options = { viewport, colorScheme, reducedMotion: 'reduce' } as const;
      const guest = await visitor(browser, options);
      const stranger = await visitor(browser, options);
      const link = (await home.cli(['open'])).stdout.trim();
      await guest.page.goto(link);
      for (const { name, place, isStranger, shows, act } of pictures.filter(
        ({ shown }) => values.all !== undefined || shown === colorScheme,
      )) {
        const { page } = isStranger ? stranger : guest;
        await page.goto(place.startsWith('/') ? `${baseUrl}${place}` : `${baseUrl}/#/${place}`);
        await act?.(page);
        await page.getByText(shows).first().waitFor();
        await settled(page);
        const file = path.join(folder, `${name}.png`);
        const picture = smallPng(await page.screenshot());
        writeFileSync(file, picture);
        process.stdout.write(`${file} ${Math.round(picture.length / 1_000)} kB\n`);
      }
      await guest.close();
      await stranger.close();
    }
  }
  close();
} finally {
  await browser.close();
  await home.remove();
}
