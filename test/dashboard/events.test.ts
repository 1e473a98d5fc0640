// The events in a real Chromium: the live list, its filters, one event, and deliveries that are sent again.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the events', () => {
  let dashboard: Dashboard;
  let receiver: Server;
  let answer = 500;
  let received = 0;
  let report = '';
  const emit = (type: string) => dashboard.home.cli(['events', 'emit', type, '--actor', 'report']);
  beforeAll(async () => {
    dashboard = await startDashboard();
    receiver = createServer((request, response) => {
      received += 1;
      request.resume();
      response.writeHead(answer, { 'content-type': 'text/plain' }).end('no user for key s3cr3t');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    report = await dashboard.actor('report');
    const { port } = receiver.address() as AddressInfo;
    await dashboard.home.cli([
      'webhooks',
      'set',
      'report',
      `http://127.0.0.1:${port}/hook/KeyOfTheReceiver42?key=s3cr3t`,
    ]);
  });
  afterAll(async () => {
    receiver?.close();
    await dashboard?.close();
  });

  it('arrive live, each once, and resume without a gap after a network outage', async () => {
    const { page, context, complaints, close } = await dashboard.open('events');
    await page.getByText('Live', { exact: true }).waitFor();
    await emit('FIRST');
    await page.getByRole('link', { name: 'FIRST' }).waitFor();
    await context.setOffline(true);
    await emit('SECOND');
    await context.setOffline(false);
    await emit('THIRD');
    await page.getByRole('link', { name: 'THIRD' }).waitFor();
    expect(await page.getByRole('link', { name: /FIRST|SECOND|THIRD/ }).allTextContents()).toEqual([
      'THIRD',
      'SECOND',
      'FIRST',
    ]);
    expect(complaints).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('are requested again if the first request gets no response', async () => {
    const { page, context, close } = await dashboard.open('events');
    await page.clock.install();
    const asked: string[] = [];
    await context.route('**/actors/v2/events', async (route) => {
      asked.push(route.request().url());
      // The first request never gets a response.
      if (asked.length > 1) await route.continue();
    });
    await page.reload();
    await expect.poll(() => asked.length).toBe(1);
    await page.clock.fastForward(60_000);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(asked.length).toBeGreaterThan(1);
    await close();
  });

  it('are loaded again after a failed request', async () => {
    await emit('STORED');
    const { page, context, close } = await dashboard.open('actors');
    await page.clock.install();
    let failures = 0;
    await context.route('**/actors/v2/events?*', async (route) => {
      failures += 1;
      if (failures > 2) return route.continue();
      const whole = '{"message":"the store is full"}';
      const [status, body] = failures === 1 ? [503, whole] : [200, whole.slice(0, 9)];
      await route.fulfill({ status, contentType: 'application/json', body });
    });
    await page.goto(page.url().replace(/#.*/, '#/events'));
    await page.getByText('the store is full').waitFor();
    await page.clock.fastForward(5_000);
    await page.getByText('The response of the daemon was cut off').waitFor();
    await page.clock.fastForward(5_000);
    await page.getByRole('link', { name: 'STORED' }).waitFor();
    expect(await page.getByText(/the store is full|cut off/).count()).toBe(0);
    await close();
  });

  it('can be filtered by type and text, and paused', async () => {
    await emit('LOOKED_FOR');
    const { page, close } = await dashboard.open('events?type=LOOKED_FOR');
    await page.getByRole('link', { name: 'LOOKED_FOR' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByText('actorctl events tail --type LOOKED_FOR', { exact: false }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await emit('LOOKED_FOR');
    await page.getByRole('button', { name: 'Resume, 1 new' }).click();
    await page.getByRole('row').nth(2).waitFor();
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByText('No event matches.').waitFor();
    const [request] = await Promise.all([
      page.waitForRequest(/\/actors\/v2\/events\?/),
      page.goto(`${dashboard.baseUrl}/#/events?type=FIRST&actor=${report}`),
    ]);
    expect(Object.fromEntries(new URL(request.url()).searchParams)).toMatchObject({ type: 'FIRST', actorId: report });
    await page.getByRole('link', { name: 'FIRST' }).waitFor();
    await close();
  });

  it('shows an event, with the equivalent actorctl command', async () => {
    const { page, close } = await dashboard.open('events?type=FIRST');
    await page.getByRole('link', { name: 'FIRST' }).click();
    await page.getByText('"synthetic": true').waitFor();
    await page.getByText('actorctl events redeliver', { exact: false }).first().waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('shows failed deliveries with the response of the receiver, and redelivers one', async () => {
    const { page, close } = await dashboard.open('events/deliveries?failed=true');
    const failed = page.getByRole('row').filter({ hasText: '500' }).first();
    await failed.waitFor();
    expect(await violations(page)).toEqual([]);
    answer = 200;
    const before = received;
    await failed.getByRole('button', { name: /^Redeliver/ }).click();
    await page.getByText('delivered 200').waitFor();
    expect(received).toBe(before + 1);
    await page.getByLabel('Only failed or unknown').uncheck();
    await page.getByRole('row').filter({ hasText: 'again' }).getByText('delivered').waitFor();
    await close();
  });

  it('redelivers all that failed, once each, and nothing a second time', async () => {
    answer = 500;
    for (const type of ['ONE', 'TWO']) await emit(type);
    const { page, close } = await dashboard.open('events/deliveries?failed=true');
    const all = page.getByRole('button', { name: 'Redeliver all failed' });
    const failed = page
      .getByRole('row')
      .filter({ hasText: /ONE|TWO/ })
      .filter({ hasText: '500' });
    await expect.poll(() => failed.count()).toBe(2);
    answer = 200;
    const before = received;
    await all.click();
    const question = page.getByRole('dialog', { name: /^Redeliver \d+ events\?$/ });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(received).toBe(before);
    await all.click();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Redeliver', exact: true }).click();
    const said = page.getByText(/^(\d+) of \1 events are delivered now\.$/);
    await said.waitFor();
    expect(received - before).toBe(Number((await said.textContent())?.split(' ')[0]));
    await all.click();
    await page.getByText('Every failed delivery was sent again already.').waitFor();
    await close();
  });

  it('and the views of an actor show no key of its webhook, and the form that edits it shows the whole URL', async () => {
    await emit('MASKED');
    const { page, close } = await dashboard.open('events/deliveries');
    await page.getByRole('row').filter({ hasText: 'MASKED' }).getByText('/hook/…?…').waitFor();
    const isShown = async (): Promise<boolean> =>
      /s3cr3t|KeyOfTheReceiver/.test((await page.textContent('main')) ?? '');
    expect(await isShown()).toBe(false);
    await page.goto(`${dashboard.baseUrl}/#/actors/${report}?tab=about`);
    await page.getByText('/hook/…?…').waitFor();
    expect(await isShown()).toBe(false);
    await page.getByRole('button', { name: 'Change the webhook' }).click();
    expect(await page.getByLabel('Events are posted to (empty: none)').inputValue()).toContain('key=s3cr3t');
    await close();
  });

  it.each([721, 768, 900])('keep their type on one line of the deliveries at %d px', async (width) => {
    const type = `READING_COMPLETE_${width}`;
    await emit(type);
    const { page, close } = await dashboard.open('events/deliveries', { viewport: { width, height: 800 } });
    const link = page.getByRole('link', { name: type });
    await link.waitFor();
    expect(await link.evaluate((each) => each.getClientRects().length)).toBe(1);
    const table = page.getByRole('region', { name: 'Deliveries' });
    expect(await table.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it.each([
    [1280, 'light'],
    [375, 'dark'],
  ] as const)(
    'shows its request, the begin of the response without secrets, and its attempts: %d px, %s',
    async (width, colorScheme) => {
      answer = 503;
      const type = `BODIES_${width}`;
      await emit(type);
      const viewport = { width, height: 800 };
      const { page, complaints, close } = await dashboard.open('', { colorScheme, viewport });
      await page.getByText('did not reach the webhook').waitFor();
      await page.getByRole('link', { name: 'Failed deliveries' }).click();
      await page
        .getByRole('row')
        .filter({ hasText: type })
        .getByRole('link', { name: /^failed, delivery/ })
        .click();
      await heading(page, /Deliveries/);
      await page.getByRole('region', { name: 'Request' }).getByText(`"event_type": "${type}"`).waitFor();
      await page.getByRole('region', { name: 'Response 503' }).getByText('no user for key ***').waitFor();
      expect(await page.textContent('main')).not.toMatch(/s3cr3t|KeyOfTheReceiver/);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await violations(page)).toEqual([]);
      answer = 200;
      await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
      const attempts = page.getByRole('region', { name: 'Attempts' });
      await attempts.getByText('delivered').waitFor();
      await page.getByRole('link', { name: type }).click();
      await heading(page, /Events/);
      await attempts.getByText('delivered').waitFor();
      expect(await attempts.getByRole('row').filter({ hasText: '503' }).count()).toBe(1);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('can be sent again only along the way that they took', async () => {
    await emit('WAY');
    const { page, close } = await dashboard.open('events?type=WAY');
    await page.getByRole('link', { name: 'WAY' }).click();
    await heading(page, /Events/);
    await page.getByRole('button', { name: 'Send to the webhook again' }).waitFor();
    const isDisabled = (name: string) => page.getByRole('button', { name }).isDisabled();
    expect([await isDisabled('Send along the link again'), await isDisabled('Send to the webhook again')]).toEqual([
      true,
      false,
    ]);
    await close();
  });
});
