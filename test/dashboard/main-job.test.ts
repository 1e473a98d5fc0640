// The main job on the page alone, in a real Chromium: by mouse, and by keyboard.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

/** How a person reaches a button, a link or a field, and uses it. */
interface Hand {
  readonly press: (target: Locator) => Promise<void>;
  readonly fill: (target: Locator, text: string) => Promise<void>;
}

const mouse: Hand = { press: (target) => target.click(), fill: (target, text) => target.fill(text) };

/** Steps of the Tab key within which everything on a page is reached. */
const MOST_TABS = 200;

/** Uses the keys only. A target that the Tab key does not reach fails the test. */
const keyboard = (page: Page): Hand => {
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor();
    const isReached = () => target.evaluate((element) => element === document.activeElement);
    for (let tabs = 0; !(await isReached()); tabs += 1) {
      if (tabs === MOST_TABS) throw new Error(`the Tab key does not reach ${target}`);
      await page.keyboard.press('Tab');
    }
  };
  return {
    press: async (target) => {
      await reach(target);
      await page.keyboard.press('Enter');
    },
    fill: async (target, text) => {
      await reach(target);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.type(text);
    },
  };
};

describeIf(browserRequirement(), 'the main job on the page', () => {
  let dashboard: Dashboard;
  let receiver: Server;
  let hook: string;
  let received = 0;
  const folderOf = (name: string, script: string): string => {
    const folder = join(dashboard.home.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', script] }));
    return `file://${folder}`;
  };
  beforeAll(async () => {
    dashboard = await startDashboard();
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        // The change of the webhook also sends an event: the actor is ready.
        if (body.includes('EXECUTION_COMPLETE')) received += 1;
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(async () => {
    receiver?.close();
    await dashboard?.close();
  });

  it.each(['mouse', 'keyboard'] as const)('is done by %s', async (device) => {
    const { page, complaints, close } = await dashboard.open('actors');
    const { press, fill } = device === 'mouse' ? mouse : keyboard(page);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const field = (name: string | RegExp) => page.getByRole('textbox', { name, exact: true });
    const image = page.getByRole('combobox', { name: /^Image/ });
    const [first, second] = [`first-by-${device}`, `second-by-${device}`];
    const create = async (name: string, script: string): Promise<void> => {
      await press(page.getByRole('link', { name: 'New actor' }));
      await fill(image, folderOf(name, script));
      await fill(field('Name'), name);
      await press(button('Create'));
      await heading(page, new RegExp(name));
      await page.locator('.summary').getByText('ready').waitFor();
    };
    const send = async (text: string): Promise<void> => {
      await fill(field('Message'), text);
      await press(button('Send'));
    };

    await create(second, 'echo "second got $MSG"');
    await press(page.getByRole('link', { name: 'Actors', exact: true }));
    await create(first, 'if [ "$CITY" = Bern ]; then echo "hello $MSG"; else echo "no city" >&2; exit 4; fi');
    await send('one');
    await page.getByRole('log').getByText('no city').waitFor();
    await page.locator('.sent').getByText('failed, exit 4').waitFor();
    const failed = (await page.locator('.sent').getByRole('link').textContent()) ?? '';

    await press(button('Edit'));
    await fill(field(/^Variables/), 'CITY=Bern');
    await press(button('Save'));
    await page.getByText('The changes are saved.').waitFor();
    await press(page.getByRole('link', { name: failed }));
    await press(button('Run again'));
    await page.getByRole('log').getByText('hello one').waitFor();

    await press(page.getByRole('region', { name: 'Execution', exact: true }).getByRole('link', { name: first }));
    await press(page.getByRole('link', { name: 'Description' }));
    await press(button('Set a link'));
    await fill(page.getByRole('combobox', { name: /^Events go to the actor/ }), second);
    await press(button('Save'));
    await page.getByText(`Events go to ${second} now.`).waitFor();
    await press(button('Set a webhook'));
    await fill(field(/^Events are posted to/), hook);
    await press(button('Save'));
    await page.getByText('The webhook is set.').waitFor();
    await press(button('Set a schedule'));
    await fill(field(/^Schedule/), '0 9 * * mon-fri');
    await fill(field('Time zone'), 'Europe/Zurich');
    await press(button('Save'));
    await page.getByText('The schedule is set.').waitFor();

    const before = received;
    await press(page.getByRole('link', { name: 'Runs' }));
    await send('two');
    await page.getByRole('log').getByText('hello two').waitFor();
    await expect.poll(() => received).toBeGreaterThan(before);
    await press(page.getByRole('link', { name: 'Events', exact: true }).last());
    await press(page.getByRole('link', { name: 'EXECUTION_COMPLETE' }).first());
    await press(page.getByRole('link', { name: 'execution of the linked actor' }));
    await page.getByRole('log').getByText('second got').waitFor();
    // The message of a link is stored as an excerpt only.
    await page.getByTitle('Its message is not stored in full').and(button('Run again')).waitFor();
    await press(page.getByRole('link', { name: 'Events', exact: true }));
    await press(page.getByRole('link', { name: 'Deliveries' }));
    await page.getByRole('row').filter({ hasText: first }).filter({ hasText: '204' }).first().waitFor();

    for (const name of [first, second]) {
      await press(page.getByRole('link', { name: 'Actors', exact: true }));
      await press(page.getByRole('link', { name, exact: true }));
      await press(button('Delete'));
      await press(page.getByRole('dialog').getByRole('button', { name: /delete$/i }));
      await page.getByText(`Deleted actor ${name}.`).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });
});
