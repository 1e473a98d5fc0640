// The command `actorctl login` with a real Chromium: the last page that a person sees, and the address bar.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement, launchBrowser, visitor } from '../../support/browser/browser.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { signIn } from '../../support/daemon/login-fixture.ts';
import { startLogin } from '../../support/daemon/login-process.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(browserRequirement(), 'a login in Chromium', () => {
  let home: Home;
  let browser: Browser;

  beforeAll(async () => {
    home = inProcessHome(NO_ENGINE);
    await home.up();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await home?.remove();
  });

  it.each([
    ['code', 'authorization_code', 'Approve', 0, 'You can close this page'],
    ['implicit', 'implicit', 'Approve', 0, 'You can close this page'],
    ['code', 'authorization_code', 'Deny', 4, 'The login failed'],
    ['implicit', 'implicit', 'Deny', 4, 'The login failed'],
  ])(
    'R162 by the %s flow (%s), ended with %s, leaves no part of the response in the browser',
    async (flow, name, button, exit, heading) => {
      const login = startLogin(home, ['--flow', flow, '--no-browser', '--show-dialog', '--json']);
      const person = await visitor(browser);
      try {
        const { page, complaints } = person;
        await page.goto(await login.address);
        await signIn(page, ADMIN);
        await page.getByRole('button', { name: button, exact: true }).click();
        await page.getByRole('heading', { name: heading }).waitFor();
        expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:873[1-5]\/callback\/(arrived|refused)#?$/);
        expect(complaints).toEqual([]);
        const { code, stdout, stderr } = await login.ended;
        expect(code, stderr).toBe(exit);
        if (exit === 0) expect(JSON.parse(stdout)).toMatchObject({ user: 'dev', flow: name });
        else expect(stderr).toContain('the login was denied');
      } finally {
        login.stop();
        await person.close();
      }
    },
  );
});
