// The pages in a real Chromium, in both colour schemes and from small phone to desktop width: contrast, focus and
// accessibility.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit, focused, focusOutline, lookOf } from '../../support/browser/audit.ts';
import { browserRequirement, launchBrowser, type Visitor, visitor } from '../../support/browser/browser.ts';
import { pages } from '../../support/browser/oauth-pages.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const framing = (name: string) => ({
  status: 200,
  headers: { 'Content-Type': 'text/html' },
  html: `<iframe src="/${encodeURIComponent(name)}"></iframe>`,
});

describeIf(browserRequirement(), 'the pages in Chromium', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    server = createServer((request, response) => {
      const name = decodeURIComponent(request.url ?? '').slice(1);
      const page = name.startsWith('framing ') ? framing(name.slice(8)) : pages[name];
      response.writeHead(page?.status ?? 404, page?.headers).end(page?.html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** One for each look; a page that was opened before leaves no trace on the next. */
  const visitors = new Map<string, Promise<Visitor>>();
  const visitorOf = (colorScheme: 'light' | 'dark', width: number): Promise<Visitor> => {
    const look = `${colorScheme} ${width}`;
    const known = visitors.get(look) ?? visitor(browser, { colorScheme, viewport: { width, height: 740 } });
    visitors.set(look, known);
    return known;
  };
  const open = (page: Page, name: string) => page.goto(`${origin}/${encodeURIComponent(name)}`);

  for (const name of Object.keys(pages)) {
    it.each([
      ['light', 320],
      ['light', 1_280],
      ['dark', 375],
      ['dark', 1_280],
    ] as const)(`R104 "${name}" is legible, labelled and fits, %s at %i px`, async (colorScheme, width) => {
      const { page, complaints, asked } = await visitorOf(colorScheme, width);
      const before = asked.length;
      await open(page, name);
      expect(await audit(page)).toEqual([]);
      expect(await page.title()).not.toBe('taken');
      expect(complaints).toEqual([]);
      expect(new Set(asked.slice(before).map((url) => url.origin))).toEqual(new Set([origin]));
    });
  }

  it('R104 the audit detects grey text on white, a field without label and a page that is too wide', async () => {
    const { page, close } = await visitor(browser, { viewport: { width: 375, height: 740 } });
    await page.setContent('<main><p style="color:#999;width:500px">pale</p><input><button></button></main>');
    const found = (await audit(page)).join('\n');
    expect(found).toMatch(/text of p "pale": contrast 2\.85 below 4\.5/);
    for (const what of ['no label', 'a button has no name', '0 × h1', 'no language', 'px wide in a window of 375']) {
      expect(found).toContain(what);
    }
    await close();
  });

  it('R104 the tab key reaches the login fields in reading order, each with a visible focus', async () => {
    const { page, close } = await visitor(browser);
    await open(page, 'login');
    await page.locator('#username:focus').waitFor();
    const met: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      met.push(await focused(page));
      const { width, style } = await focusOutline(page);
      expect(style).toBe('solid');
      expect(width).toBeGreaterThanOrEqual(2);
      await page.keyboard.press('Tab');
    }
    expect(met).toEqual(['username', 'password', 'Log in']);
    await close();
  });

  it('R104 the tab key reaches deny before approve, and neither has the focus at first', async () => {
    const { page, close } = await visitor(browser);
    await open(page, 'consent');
    expect(await page.locator(':focus').count()).toBe(0);
    const met: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      await page.keyboard.press('Tab');
      met.push(await focused(page));
      expect((await focusOutline(page)).style).toBe('solid');
    }
    expect(met).toEqual(['Deny', 'Approve', 'Use another account']);
    await close();
  });

  it('R102 the buttons of the consent page ignore clicks in the first half second', async () => {
    const { page, close } = await visitor(browser);
    await open(page, 'consent');
    const at = (time: number): Promise<unknown> =>
      page.evaluate(`document.getAnimations().map((each) => { each.pause(); each.currentTime = ${time}; });
        [...document.querySelectorAll('button')].map((button) => getComputedStyle(button).pointerEvents)`);
    expect(await at(0)).toEqual(['none', 'none', 'none']);
    expect(await at(499)).toEqual(['none', 'none', 'none']);
    expect(await at(500)).toEqual(['auto', 'auto', 'auto']);
    await close();
  });

  it('R15 deny and approve have the same size, colours and font', async () => {
    const { page, close } = await visitor(browser);
    await open(page, 'consent');
    const deny = await lookOf(page.getByRole('button', { name: 'Deny' }));
    expect(deny['width']).toBeGreaterThan(100);
    expect(await lookOf(page.getByRole('button', { name: 'Approve' }))).toEqual(deny);
    await close();
  });

  it('R15 deny and approve are visible without scrolling on a phone', async () => {
    const { page, close } = await visitor(browser, { viewport: { width: 375, height: 740 } });
    await open(page, 'consent');
    for (const name of ['Deny', 'Approve']) {
      const box = await page.getByRole('button', { name }).boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 740)).toBeLessThan(740);
    }
    await close();
  });

  it('a screen reader gets the problem and the fields that it concerns', async () => {
    const { page, close } = await visitor(browser);
    await open(page, 'login after a wrong password');
    expect(await page.locator('main').ariaSnapshot()).toBe(
      [
        '- main:',
        '  - paragraph: actorctl',
        '  - heading "Log in" [level=1]',
        '  - paragraph: report-builder asks to use the platform in your name. Log in first. Unless you approved the same before, you then decide about the request.',
        '  - alert: That username and password do not belong together. Check both and try again.',
        '  - text: Username',
        '  - textbox "Username" [invalid]: alice',
        '  - text: Password',
        '  - textbox "Password" [invalid]',
        '  - button "Log in"',
        '  - paragraph: Your password stays with the platform; report-builder never sees it. The response goes to 127.0.0.1:8731, a program on this computer. If you did not start this, close the page. Nothing was approved.',
      ].join('\n'),
    );
    await close();
  });

  it('R97 the pages cannot be framed, not even by a page of the same origin', async () => {
    const { page, close, complaints } = await visitor(browser);
    await open(page, 'framing logged out');
    expect(await page.frames()[1]?.getByText('logged out').count()).toBe(0);
    expect(complaints.join()).toContain("frame-ancestors 'none'");
    await close();
  });
});
