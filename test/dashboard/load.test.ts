// The dashboard of a busy daemon in a real Chromium: 10 000 executions, 200 actors, and events that do not stop.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { NO_ENGINE } from '../support/daemon/daemon.ts';
import { ADMIN } from '../support/daemon/home.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { fillStore, preparedActor, preparedExecution } from '../support/store/prepared-data.ts';

const EXECUTIONS = 10_000;
const ACTORS = 200;
/** The rows of a screen, the head, and some around them. */
const FEW = 80;

describeIf(browserRequirement(), 'the dashboard of a busy daemon', () => {
  let dashboard: Dashboard;
  let token: string;
  beforeAll(async () => {
    dashboard = await startDashboard({
      env: NO_ENGINE,
      write: (store) => fillStore(store, { owner: ADMIN.username, actors: ACTORS, executions: EXECUTIONS }),
    });
    token = (await dashboard.home.cli(['auth', 'token'])).stdout.trim();
  });
  afterAll(() => dashboard?.close());

  const post = async (path: string, body: unknown): Promise<void> => {
    const response = await fetch(`${dashboard.baseUrl}/actors/v2/${preparedActor(7)}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBe(200);
  };
  const emit = (event_type: string) => post('events', { event_type });
  const focusedText = (page: Page) => page.locator(':focus').textContent();

  it('scrolls through 10 000 executions to the oldest, and renders few rows', async () => {
    const { page, complaints, close } = await dashboard.open('executions');
    await page.getByText('10,000 executions').waitFor();
    await page.getByRole('link', { name: preparedExecution(EXECUTIONS - 1) }).waitFor();
    for (const part of [0.5, 1]) {
      await page.locator('.scroller').evaluate((box, at) => box.scrollTo(0, box.scrollHeight * at), part);
      await page.getByRole('link', { name: preparedExecution(Math.round((EXECUTIONS - 1) * (1 - part))) }).waitFor();
      expect(await page.getByRole('row').count()).toBeLessThan(FEW);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('keeps the focused execution in view while new ones arrive', async () => {
    const { page, close } = await dashboard.open('executions');
    await page.getByText('10,000 executions').waitFor();
    await page.getByRole('link', { name: preparedExecution(EXECUTIONS - 1) }).waitFor();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('j');
    const before = await focusedText(page);
    for (let sent = 0; sent < 60; sent += 1) await post('messages', { message: 'waits' });
    // A waiting message causes no event, so the list reads them at its own pace.
    await page.getByText('10,060 executions').waitFor();
    expect(await focusedText(page)).toBe(before);
    await expect
      .poll(() => page.locator(':focus').evaluate((link) => link.closest('.scroller')?.scrollTop ?? 0))
      .toBeGreaterThan(0);
    await page.keyboard.press('k');
    expect(await focusedText(page)).not.toBe(before);
    await close();
  });

  it('lists 200 actors, and finds one of them', async () => {
    const { page, close } = await dashboard.open('actors');
    await page.getByText('200 of 200').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(FEW);
    await page.getByLabel('Search').fill('actor-199');
    await page.getByText('1 of 200').waitFor();
    await page.getByRole('link', { name: 'actor-199' }).click();
    await heading(page, /actor-199/);
    await close();
  });

  it('shows every event of a burst, and reloads lists and actors at most once a second meanwhile', async () => {
    const { page, context, close } = await dashboard.open('executions');
    await page.getByText(/\d executions/).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const events = await context.newPage();
    await events.goto(`${dashboard.baseUrl}/#/events?type=MANY`);
    await events.getByText('Live', { exact: true }).waitFor();
    const actor = await context.newPage();
    await actor.goto(`${dashboard.baseUrl}/#/actors/${preparedActor(7)}`);
    await heading(actor, /actor-007/);
    await actor.getByText('Live', { exact: true }).waitFor();
    const countOf = (of: Page, path: RegExp): (() => number) => {
      let count = 0;
      of.on('request', (request) => {
        if (path.test(request.url())) count += 1;
      });
      return () => count;
    };
    const reads = [
      countOf(page, /\/search\/executions/),
      countOf(actor, new RegExp(`/actors/v2/${preparedActor(7)}$`)),
    ];
    const now = () => page.evaluate(() => performance.now());
    const begun = await now();
    for (let sent = 0; sent < 200; sent += 1) await emit('MANY');
    await events.getByText('200 shown').waitFor();
    // A read begins up to a second after the first event, which may be later than the last one.
    for (const count of reads) await expect.poll(count).toBeGreaterThan(0);
    const seconds = ((await now()) - begun) / 1_000;
    // One request in each second that has begun, and one for a read that began before.
    for (const count of reads) expect(count()).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    await close();
  });

  it('drops a row that has left the list, even if rows arrive one after the other', async () => {
    const { page, context, close } = await dashboard.open('events?type=ROW_OF');
    await page.getByText('Live', { exact: true }).waitFor();
    const emitted = async (count: number, shown: number): Promise<void> => {
      for (let sent = 0; sent < count; sent += 1) await emit('ROW_OF');
      await page.getByText(`${shown} shown`).waitFor();
    };
    // More than are drawn.
    await emitted(FEW / 2, FEW / 2);
    const newest = page.locator('.row').first();
    await newest.evaluate((row) => void Object.assign(globalThis, { left: new WeakRef(row) }));
    // Each change leaves most rows in place.
    for (let shown = FEW / 2 + 8; shown <= FEW; shown += 8) await emitted(8, shown);
    const probe = await context.newCDPSession(page);
    const isKept = async (): Promise<boolean> => {
      await probe.send('HeapProfiler.collectGarbage');
      return page.evaluate(() => (globalThis as unknown as { left: WeakRef<object> }).left.deref() !== undefined);
    };
    await expect.poll(isKept).toBe(false);
    await close();
  });

  it('keeps two tabs current, and the remaining tab after the other is closed', async () => {
    const { page, context, close } = await dashboard.open('events?type=TABS');
    await page.getByText('Live', { exact: true }).waitFor();
    const other = await context.newPage();
    await other.goto(`${dashboard.baseUrl}/#/events?type=TABS`);
    await other.getByText('Live', { exact: true }).waitFor();
    await emit('TABS');
    for (const tab of [page, other]) await tab.getByText('1 shown').waitFor();
    await page.close();
    await emit('TABS');
    await other.getByText('2 shown').waitFor();
    await other.goto(`${dashboard.baseUrl}/#/actors`);
    await other.getByText('200 of 200').waitFor();
    await close();
  });
});
