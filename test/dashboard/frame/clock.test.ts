// The virtual clock in the frame of the dashboard: shown in each view, moved, and refused to those who may not move it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement, visitor } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { describeIf } from '../../support/runner/requirements.ts';

/** The face of the clock, which opens the dialog. */
const face = (page: Page) => page.getByRole('button', { name: /^Virtual clock/ });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Virtual clock' });
const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });

describeIf(browserRequirement(), 'the dashboard of an instance with a virtual clock', () => {
  let dashboard: Dashboard;
  let id: string;
  beforeAll(async () => {
    dashboard = await startDashboard({ flags: ['--virtual-clock', '2030-01-01'] });
    id = await dashboard.actor('hourly', '--cron', '@hourly');
  });
  afterAll(() => dashboard?.close());

  const time = async (): Promise<string> => (await dashboard.home.json<{ time: string }>('clock', 'show')).time;

  it('shows the clock in each view, and at 375 pixels', async () => {
    const { page, complaints, close } = await dashboard.open('', { viewport: { width: 375, height: 700 } });
    for (const [view, title] of [
      ['', 'Overview'],
      ['actors', 'Actors'],
      ['executions', 'Executions'],
      ['events', 'Events'],
      ['wiring', 'Wiring'],
      ['access', 'Access'],
    ] as const) {
      await page.evaluate((hash) => void location.assign(hash), `#/${view}`);
      await heading(page, title);
      expect((await face(page).textContent())?.trim()).toBe('Virtual clock 2030-01-01 00:00:00 UTC+0 paused');
    }
    const box = await face(page).boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 400) <= 375).toBe(true);
    expect(await violations(page)).toEqual([]);
    await face(page).click();
    await dialog(page).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('is moved with the keys alone: the due run is confirmed, fires, and appears among the executions', async () => {
    const { page, complaints, close } = await dashboard.open('executions');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Actor, execution, view or action' }).fill('move the virtual');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('2030-01-01 01:00:00').waitFor();
    await expect(dialog(page).getByRole('link', { name: 'hourly' }).count()).resolves.toBe(3);
    await button(page, '+1 min').press('Enter');
    await expect.poll(time).toBe('2030-01-01T00:01:00.000Z');
    await expect.poll(() => face(page).textContent()).toContain('2030-01-01 00:01:00');
    await button(page, '+1 h').press('Enter');
    await dialog(page).getByText('1 scheduled run falls due until 2030-01-01 01:01:00.').waitFor();
    expect(await time()).toBe('2030-01-01T00:01:00.000Z');
    expect(await page.locator(':focus').textContent()).toBe('Move the clock');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(time).toBe('2030-01-01T01:01:00.000Z');
    await expect.poll(() => page.locator(':focus').textContent()).toBe('+1 h');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await page.getByRole('row').filter({ hasText: 'hourly' }).first().waitFor();
    expect(await face(page).textContent()).toContain('2030-01-01 01:01:00');
    expect(complaints).toEqual([]);
    await close();
  });

  it('moves by a duration in the words of the command and to a time, and refuses what the command refuses', async () => {
    const { page, close } = await dashboard.open();
    await face(page).click();
    const by = dialog(page).getByLabel('Move by a duration');
    await by.fill('soon');
    await button(page, 'Move by this duration').click();
    await dialog(page).getByRole('alert').getByText('must be a duration above zero').waitFor();
    await by.fill('2h');
    await button(page, 'Show the command line').click();
    await page.getByText('actorctl clock advance 2h', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Move by this duration').click();
    await dialog(page).getByText('2 scheduled runs fall due').waitFor();
    const before = await time();
    await button(page, 'Cancel').click();
    await dialog(page).getByText('2 scheduled runs fall due').waitFor({ state: 'hidden' });
    expect(await time()).toBe(before);
    await dialog(page).getByLabel('Move to a local time').fill('2030-01-01T02:30:00');
    await button(page, 'Move to this time').click();
    await button(page, 'Move the clock').click();
    await expect.poll(time).toBe('2030-01-01T02:30:00.000Z');
    await dialog(page).getByLabel('Move to a local time').fill('2029-01-01T00:00:00');
    await button(page, 'Move to this time').click();
    await dialog(page).getByRole('alert').getByText('The clock cannot go back').waitFor();
    await close();
  });

  it('is resumed and paused, and follows a move from elsewhere', async () => {
    const { page, close } = await dashboard.open('events');
    await face(page).click();
    await button(page, 'Resume').click();
    await expect.poll(() => face(page).textContent()).toContain('runs');
    const first = await face(page).textContent();
    await expect.poll(() => face(page).textContent()).not.toBe(first);
    await button(page, 'Pause').click();
    await expect.poll(() => face(page).textContent()).toContain('paused');
    await page.keyboard.press('Escape');
    await dashboard.home.json('clock', 'set', '2030-01-01T03:30:00Z');
    await page.getByRole('link', { name: 'Actors' }).click();
    await expect.poll(() => face(page).textContent()).toContain('2030-01-01 03:30:00');
    await page.getByRole('link', { name: 'hourly' }).waitFor();
    await close();
  });

  it('shows how far a move is, stops it, and offers to continue it later', async () => {
    await dashboard.home.json('actors', 'create', 'nowhere/image', '--name', 'busy', '--cron', '* * * * *');
    const { page, close } = await dashboard.open(`actors/${id}`);
    await face(page).click();
    await dialog(page).getByLabel('Move by a duration').fill('1y');
    await button(page, 'Move by this duration').click();
    await button(page, 'Move the clock').click();
    await dialog(page)
      .getByText(/is being moved to .*: [\d,]+ of 534,360 scheduled runs sent/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page, 'Stop here').click();
    await dialog(page).getByText('A move to 2031-01-01 03:30:00 was interrupted.').waitFor();
    await close();
    // The session of the browser has ended by the clock that moved, so this is a new login.
    const later = await dashboard.open();
    await face(later.page).click();
    await dialog(later.page).getByText('A move to 2031-01-01 03:30:00 was interrupted.').waitFor();
    await button(later.page, 'Continue it').click();
    await dialog(later.page)
      .getByText(/scheduled runs fall due until 2031-01-01 03:30:00/)
      .waitFor();
    await later.close();
  });

  it('a user sees the clock without buttons that move it', async () => {
    const password = 'second-best-horse';
    await dashboard.home.cli(['users', 'create', 'ana', '--password-stdin'], { input: password });
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(dashboard.baseUrl);
    await page.getByLabel('Username').fill('ana');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, 'Overview');
    await face(page).click();
    await dialog(page).getByText('Only admins of the first tenant can move the clock').waitFor();
    expect(await dialog(page).getByRole('button').allTextContents()).toEqual(['Close']);
    expect(await violations(page)).toEqual([]);
    await close();
  });
});

describeIf(browserRequirement(), 'the dashboard of an instance with the clock of the machine', () => {
  it('has no clock, and reads none', async () => {
    const dashboard = await startDashboard();
    try {
      const { page, asked, close } = await dashboard.open('actors');
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await face(page).count()).toBe(0);
      expect(asked.filter(({ pathname }) => pathname === '/clock')).toEqual([]);
      await close();
    } finally {
      await dashboard.close();
    }
  });
});
