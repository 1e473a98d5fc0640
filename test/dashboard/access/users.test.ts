// The users of a tenant in a real Chromium: an admin creates, changes, logs out and deletes them.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement, visitor } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const PASSWORD = 'a-long-password';

describeIf(browserRequirement(), 'the users', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    await dashboard.home.cli(['users', 'create', 'bob', '--password-stdin'], { input: `${PASSWORD}\n` });
  });
  afterAll(() => dashboard?.close());

  const signIn = async (page: Page, username: string, password: string): Promise<void> => {
    await page.goto(`${dashboard.baseUrl}/#/access`);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading(page, 'Access');
  };
  const rolesOf = async (name: string): Promise<unknown> =>
    (await dashboard.home.json<{ roles: unknown }>('users', 'show', name)).roles;

  it('are created by keyboard, with roles, and are found', async () => {
    const { page, complaints, close } = await dashboard.open('access');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: 'New user' }).focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: 'New user' });
    await form.getByLabel('User name').fill('ana');
    await form.getByLabel('Password, at least 8 characters').fill('short');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Password, at least 8 characters').fill(PASSWORD);
    await form.getByLabel('privileged').check();
    await form.getByLabel('E-mail address').fill('ana@example.org');
    await form
      .getByText('actorctl users create ana --role privileged,user --password-stdin --email ana@example.org')
      .waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('3 of 3').waitFor();
    expect(await rolesOf('ana')).toEqual(['privileged', 'user']);
    await page.getByRole('searchbox').fill('privileged');
    await page.getByText('1 of 3').waitFor();
    expect(await page.content()).not.toContain(PASSWORD);
    expect(complaints).toEqual([]);
    await close();
  });

  it('have a tab that is scrolled into view on a narrow screen', async () => {
    const { page, close } = await dashboard.open('access/users', { viewport: { width: 375, height: 800 } });
    await page.getByText('of 2').or(page.getByText('of 3')).first().waitFor();
    const box = await page.getByRole('link', { name: 'Users' }).boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(375);
    await close();
  });

  it('are changed, get a new password, and are logged out', async () => {
    const { page, complaints, close } = await dashboard.open('access/users/bob');
    const bob = await visitor(dashboard.browser);
    await signIn(bob.page, 'bob', PASSWORD);
    await page.getByRole('button', { name: 'Change the user' }).click();
    await page.getByLabel('First name').fill('Bob');
    await page.getByLabel('limited').check();
    await page
      .getByText('actorctl users update bob --first-name Bob --role user,limited')
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('user, limited').waitFor();
    const browser = page.getByRole('row', { name: /browser session/ });
    await browser.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('searchbox').fill('authorization');
    await browser.waitFor({ state: 'detached' });
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('searchbox').fill('');
    await browser.getByRole('button', { name: /^End the login/ }).click();
    const question = page.getByRole('dialog');
    await question.getByText(/^actorctl auth revoke --login \w+ --user bob$/).waitFor();
    await question.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('bob has no login.').waitFor();
    await bob.page.getByText('Your login has ended, so what you see may be old.').waitFor();
    await bob.close();

    await page.getByRole('button', { name: 'New password' }).click();
    await page.getByLabel(/^Password, at least/).fill('another-password');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('The password is set.').waitFor();
    const again = await visitor(dashboard.browser);
    await signIn(again.page, 'bob', 'another-password');
    await again.close();
    expect(complaints).toEqual([]);
    await close();
  });

  it('are deleted with a new owner of what they have, which is asked for if it is missing', async () => {
    await dashboard.actor('of-carl');
    await dashboard.home.cli(['users', 'create', 'carl', '--password-stdin'], { input: `${PASSWORD}\n` });
    const carl = await visitor(dashboard.browser);
    await signIn(carl.page, 'carl', PASSWORD);
    // A user who is not an admin has no part for users.
    await carl.page.getByRole('link', { name: 'Logins' }).waitFor();
    expect(await carl.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await carl.page.goto(`${dashboard.baseUrl}/?again=1#/access/users`);
    await carl.page.getByText('This request needs the role admin').waitFor();
    await carl.page.goto(`${dashboard.baseUrl}/?again=2#/actors?create=yes`);
    await carl.page.getByLabel(/^Image/).fill('busybox');
    await carl.page.getByLabel(/^Name/).fill('carls');
    await carl.page.getByRole('button', { name: 'Create' }).click();
    await heading(carl.page, /carls/);
    await carl.close();

    const { page, close } = await dashboard.open('access/users/carl', { viewport: { width: 375, height: 800 } });
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    const question = page.getByRole('dialog', { name: 'Delete the user "carl"?' });
    await remove.click();
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(/owns/).waitFor();
    await remove.click();
    await question.getByLabel(/^New owner/).fill('bob');
    await question.getByText('actorctl users delete --reassign-to bob carl').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await heading(page, 'Access');
    await page.getByText('3 of 3').waitFor();
    expect((await dashboard.home.cli(['users', 'show', 'carl'])).code).toBe(6);
    await close();
  });
});
