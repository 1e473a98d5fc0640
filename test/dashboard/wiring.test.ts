// The wiring in a real Chromium: a graph of 60 links, what flows along it, its filters, keys and table.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';
const LINKS = 60;
const LISTING = /\/actors\/v2\?details=true$/;

describeIf(browserRequirement(), 'the wiring', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('the graph without links explains how to create a link', async () => {
    const { page, close } = await dashboard.open('wiring');
    const begin = page.getByText('actorctl actors init my-actor', { exact: false });
    await begin.waitFor();
    await page.getByLabel('Include actors without links').check();
    await begin.waitFor();
    await page.getByLabel('Include actors without links').uncheck();
    await dashboard.actor('end');
    await page.reload();
    await page.getByText('No actor has a link or a webhook yet.').waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });

  describe('of 60 links', () => {
    /** The ids of the actors in a tree, in which three send to each. */
    const tree: string[] = [];
    let fresh = '';
    let end = '';
    const emit = (actor: string) => dashboard.home.cli(['events', 'emit', 'TICK', '--actor', actor]);
    beforeAll(async () => {
      const { home, baseUrl, image } = dashboard;
      const token = (await home.cli(['auth', 'token'])).stdout.trim();
      const create = async (name: string, fields: Readonly<Record<string, string>>): Promise<string> => {
        const response = await fetch(`${baseUrl}/actors/v2`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ image, name, stateless: true, ...fields }),
        });
        return ((await response.json()) as { result: { id: string } }).result.id;
      };
      for (let at = 0; at <= LINKS; at += 1) {
        const link = tree[Math.floor((at - 1) / 3)];
        tree.push(await create(`tree-${at}`, link === undefined ? {} : { link }));
      }
      await create(HOSTILE, { webhook: 'http://127.0.0.1:9/hook?key=secret' });
      fresh = await dashboard.actor('fresh');
      await home.cli(['aliases', 'create', 'weekly', 'end']);
      await home.cli(['links', 'set', 'fresh', 'alias:weekly']);
      end = (await home.json<{ id: string }>('actors', 'show', 'end')).id;
    });

    it.each([
      [1280, 'light'],
      [375, 'dark'],
    ] as const)(
      'is drawn and listed, and axe finds no accessibility problem: %d px, %s',
      async (width, colorScheme) => {
        const { page, complaints, close } = await dashboard.open('wiring', {
          colorScheme,
          viewport: { width, height: 800 },
        });
        await page.getByText(`${LINKS + 2} edges, ${LINKS + 4} of ${LINKS + 4} actors`).waitFor();
        expect(await page.locator('.wire-line').count()).toBe(LINKS + 2);
        expect(await page.locator('a.wire-node').count()).toBe(LINKS + 4);
        expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(LINKS + 3));
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await violations(page)).toEqual([]);
        expect(complaints).toEqual([]);
        await close();
      },
    );

    it('R173 shows a hostile name as text, and no query of a webhook', async () => {
      const { page, complaints, close } = await dashboard.open('wiring?q=onerror');
      await page.locator('.wire-node').getByText(HOSTILE, { exact: true }).waitFor();
      await page.locator('.wire-node').getByText('http://127.0.0.1:9/hook?…', { exact: true }).waitFor();
      expect([await page.locator('img').count(), await page.title()]).toEqual([0, 'Wiring · actorctl']);
      expect(await page.content()).not.toContain('secret');
      expect(complaints).toEqual([]);
      await close();
    });

    it('counts live events, and events from before it was opened', async () => {
      const { page, close } = await dashboard.open('wiring?q=fresh');
      await page.getByText('Live', { exact: true }).waitFor();
      const label = (count: number) =>
        page.getByRole('link', {
          name: `fresh → end, link through the alias weekly, ${count} in the last minute`,
          exact: true,
        });
      await label(0).waitFor();
      await emit('fresh');
      await label(1).waitFor();
      await page.getByRole('row', { name: 'fresh end link via weekly 1' }).waitFor();
      await emit('fresh');
      await label(2).waitFor();
      await page.reload();
      await label(2).waitFor();
      await close();
    });

    it('can be searched and selected by keyboard, and a selected edge shows its events and the buttons that change it', async () => {
      await emit('fresh');
      const { page, close } = await dashboard.open('wiring');
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('weekly link');
      await page.getByText('1 edge, 2 of').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      const panel = page.getByRole('region', { name: 'fresh → end' });
      await panel.getByRole('link', { name: 'TICK' }).first().waitFor();
      await panel.getByRole('button', { name: 'Change the link' }).click();
      for (const line of ['links show fresh', 'links set fresh weekly'])
        await panel.getByText(`actorctl ${line}`, { exact: false }).waitFor({ state: 'attached' });
      await panel.getByRole('button', { name: 'Cancel' }).click();
      expect(new URL(page.url()).hash).toBe(`#/wiring?q=weekly+link&edge=link%3A${fresh}`);
      expect(await violations(page)).toEqual([]);
      await panel.getByRole('link', { name: 'its execution' }).first().click();
      await heading(page, /Executions/);
      await page.goBack();
      await panel.getByRole('link', { name: 'Close' }).click();
      await panel.waitFor({ state: 'hidden' });
      await close();
    });

    it('the arrow keys move from actor to edge to actor', async () => {
      const { page, close } = await dashboard.open(`wiring?actor=${fresh}`);
      await page.getByText('actorctl links graph fresh', { exact: false }).waitFor({ state: 'attached' });
      const focused = () => page.evaluate('document.activeElement.dataset.stop');
      await page
        .getByRole('group', { name: /Actors and their links/ })
        .getByRole('link', { name: /^fresh/ })
        .first()
        .focus();
      expect(await focused()).toBe(fresh);
      await page.keyboard.press('ArrowRight');
      expect(await focused()).toBe(`link:${fresh}`);
      await page.keyboard.press('ArrowRight');
      expect(await focused()).toBe(end);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'fresh → end' }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await heading(page, /end/);
      await page.getByRole('link', { name: 'Description' }).click();
      await page.getByRole('link', { name: 'graph' }).click();
      await page.getByText('actorctl links graph end', { exact: false }).waitFor({ state: 'attached' });
      await close();
    });

    it('can be zoomed and fitted, and a click near a line selects its edge', async () => {
      const { page, close } = await dashboard.open(`wiring?actor=${tree[0]}`);
      const box = page.locator('.wire-box');
      await box.waitFor();
      expect(await box.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true);
      await page.getByRole('button', { name: 'Fit' }).click();
      await expect
        .poll(() =>
          box.evaluate(
            ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
              scrollWidth <= clientWidth && scrollHeight <= clientHeight,
          ),
        )
        .toBe(true);
      for (let times = 0; times < 6; times += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.locator(`[data-edge="link:${tree[1]}"] .wire-hit`).dispatchEvent('click');
      await page.getByRole('region', { name: 'tree-1 → tree-0' }).waitFor();
      await close();
    });

    it('shows a link whose target was deleted as broken, with the reason', async () => {
      const { home } = dashboard;
      await dashboard.actor('doomed');
      await dashboard.actor('orphan');
      await home.cli(['links', 'set', 'orphan', 'doomed']);
      const { page, close } = await dashboard.open('wiring?q=orphan');
      await page.getByRole('row', { name: /^orphan doomed link/ }).waitFor();
      await home.cli(['actors', 'delete', 'doomed', '--yes']);
      await emit('orphan');
      await page
        .getByRole('row', { name: /^orphan \w{13} broken link 1 not sent/ })
        .getByRole('link')
        .click();
      await page.getByText(/^there is no actor "\w{13}"$/).waitFor();
      await page.getByText('not found or not readable').waitFor();
      expect(await violations(page)).toEqual([]);
      await close();
    });

    it('draws loops, self-links and unreadable actors, up to a limited number of nodes', async () => {
      const { page, context, complaints, close } = await dashboard.open('');
      let count = 1;
      await context.route(LISTING, async (route) => {
        const response = await route.fetch();
        const { result, ...rest } = (await response.json()) as { result: readonly { id: string }[] };
        const [one] = result;
        const made = [
          { id: 'one', name: 'one', link: 'two', linkedActor: 'two' },
          { id: 'two', name: 'two', link: 'one', linkedActor: 'one' },
          { id: 'self', name: 'self', link: 'self', linkProblem: 'the link leads to the actor itself' },
          { id: 'blind', name: 'blind', link: 'hidden', linkedActor: 'hidden' },
          ...Array.from({ length: count }, (_, at) => ({ id: `n${at}`, link: 'n0', linkedActor: 'n0' })),
        ];
        await route.fulfill({ response, json: { ...rest, result: made.map((each) => ({ ...one, ...each })) } });
      });
      await page.goto(`${dashboard.baseUrl}/#/wiring`);
      await page.getByText('5 edges, 5 of 5 actors').waitFor();
      expect(await page.locator('.wire-line').count()).toBe(5);
      expect(await page.locator('.wire-node.is-unknown').allTextContents()).toEqual([
        'hiddennot found or not readable',
      ]);
      count = 401;
      await page.reload();
      await page.getByText('This graph has 406 nodes').waitFor();
      expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('406');
      expect(complaints).toEqual([]);
      await close();
    });
  });
});
