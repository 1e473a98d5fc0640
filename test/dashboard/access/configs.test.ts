// Configs in a real Chromium: those that an actor gets, on its page, and the permissions on one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement, visitor } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { signIn } from '../../support/daemon/login-fixture.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(browserRequirement(), 'configs', () => {
  let dashboard: Dashboard;
  let counter: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    counter = await dashboard.actor('counter');
  });
  afterAll(() => dashboard?.close());

  it('are listed on the page of an actor that gets them, and are shared and taken away by keyboard', async () => {
    const { home } = dashboard;
    const secret = 'the-secret-of-the-key';
    for (const given of [
      ['aliases', 'create', 'night', 'counter'],
      ['configs', 'create', 'key', '--value', secret, '--secret', '--share', 'counter'],
      ['configs', 'create', 'lent', '--value', '1', '--share', 'night'],
      ['configs', 'create', 'city', '--value', '{"name":"Bern"}'],
      ['actors', 'update', 'counter', '-e', 'CITY=@config:city#name'],
      ['configs', 'unshare', 'city', 'counter'],
      ['permissions', 'grant', 'counter', 'cleo', 'UPDATE'],
      ['permissions', 'grant', 'config:key', 'cleo', 'READ'],
    ])
      expect(await home.cli(given)).toMatchObject({ code: 0 });
    const { page, complaints, close } = await dashboard.open(`actors/${counter}?tab=about`);
    const panel = page.getByRole('region', { name: 'Configs' });
    const rows = () => panel.getByRole('listitem').allTextContents();
    const ofKey = 'keysecret, in _actor_configsStop sharing';
    const ofLent = 'lentin _actor_configs, through the alias nightStop sharing';
    await expect
      .poll(rows)
      .toEqual([ofKey, ofLent, 'cityfor CITY (name): not shared with this actor, so its executions do not start']);
    expect(await page.content()).not.toContain(secret);
    await panel.getByRole('button', { name: 'Share a config' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('city');
    await panel.getByText('actorctl configs share city counter').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const ofCity = 'cityas CITY (name), and in _actor_configsStop sharing';
    await expect.poll(rows).toEqual([ofKey, ofLent, ofCity]);
    await page.getByText('This actor gets the config city from its next execution on.').waitFor();
    expect(await home.json('configs', 'show', 'city')).toMatchObject({ actors: counter });
    // Nothing is left to be shared.
    expect(await panel.getByRole('button', { name: 'Share a config' }).getAttribute('title')).toMatch(/^There is no/);
    await panel.getByRole('button', { name: 'Stop sharing lent' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Stop sharing the config lent with this actor?' });
    await question.getByText('actorctl configs unshare lent night').waitFor();
    await question.getByRole('button', { name: 'Stop sharing' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(rows).toEqual([ofKey, ofCity]);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Configs');
    await panel.getByRole('link', { name: 'key' }).click();
    await heading(page, /key/);
    expect(complaints).toEqual([]);
    await close();
    await home.cli(['users', 'create', 'cleo', '--password-stdin'], { input: 'cleo at the dashboard' });
    const cleo = await visitor(dashboard.browser);
    await cleo.page.goto(`${dashboard.baseUrl}/#/actors/${counter}?tab=about`);
    await signIn(cleo.page, { username: 'cleo', password: 'cleo at the dashboard' });
    await expect
      .poll(() => cleo.page.getByRole('button', { name: 'Stop sharing key' }).getAttribute('title'))
      .toBe('This needs the permission UPDATE. You have READ.');
    await cleo.page.getByText('for CITY (name): you may not read this config').waitFor();
    expect(await cleo.page.content()).not.toContain(secret);
    await cleo.close();
  });

  it('do not lose the change of another person, whose value is loaded or replaced on request', async () => {
    const { home } = dashboard;
    const most = async () => (await home.json<{ value: unknown }>('configs', 'show', 'limits')).value;
    await home.json('configs', 'create', 'limits', '--value', '{"most":1}');
    const { page, complaints, close } = await dashboard.open('access/configs/limits');
    await page.getByRole('button', { name: 'Change the value' }).click();
    const box = page.getByLabel('Value: JSON, or else text');
    await box.fill('{"most":10}');
    // A config that is only shared meanwhile keeps its new list.
    await home.json('configs', 'share', 'limits', 'counter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The value is changed.').waitFor();
    await page.getByText('revision 3', { exact: true }).waitFor();
    expect(await home.json('configs', 'show', 'limits')).toMatchObject({ value: { most: 10 }, actors: counter });
    await page.getByRole('button', { name: 'Change the value' }).click();
    await box.fill('{"most":11}');
    await home.json('configs', 'update', 'limits', '--value', '{"most":20}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('The config was changed meanwhile (revision 4).').waitFor();
    expect([await most(), await box.inputValue()]).toEqual([{ most: 20 }, '{"most":11}']);
    await page.getByRole('button', { name: 'Load the new value' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => box.inputValue()).toBe('{\n  "most": 20\n}');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    expect(await page.getByRole('alert').count()).toBe(0);
    await box.fill('{"most":12}');
    await home.json('configs', 'update', 'limits', '--value', '{"most":30}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('(revision 5)').waitFor();
    await page.getByText('revision 5', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save mine over it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('revision 6', { exact: true }).waitFor();
    expect(await most()).toEqual({ most: 12 });
    expect(complaints).toEqual([]);
    await close();
  });

  it('a permission on a config is granted, with a warning about an unknown user, and revoked in its row', async () => {
    const { home } = dashboard;
    await home.cli(['users', 'create', 'bob', '--password-stdin'], { input: 'bob at the dashboard' });
    await home.cli(['configs', 'create', 'shared', '--value', '1']);
    const { page, complaints, close } = await dashboard.open('access/configs/shared');
    const levels = () => home.json('permissions', 'list', 'config:shared');
    const panel = page.getByRole('region', { name: 'Permissions' });
    const grant = async (user: string, level: string): Promise<void> => {
      await panel.getByRole('button', { name: 'Grant a permission' }).click();
      await panel.getByLabel('User, or ABACO_WORLD for all users').fill(user);
      await panel.getByLabel('Level').selectOption(level);
      await panel
        .getByText(`actorctl permissions grant config:shared ${user} ${level}`, { exact: true })
        .waitFor({ state: 'attached' });
      await panel.getByRole('button', { name: 'Grant', exact: true }).click();
      await panel.getByRole('row', { name: `${user} ${level}` }).waitFor();
    };
    await grant('bobb', 'READ');
    await panel.getByText('There is no user "bobb".').waitFor();
    await grant('bob', 'READ');
    expect(await panel.getByText('There is no user').count()).toBe(0);
    expect(await levels()).toMatchObject({ bob: 'READ', bobb: 'READ' });
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Revoke the permission of bobb' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke READ from bobb?' });
    await question.getByText('actorctl permissions revoke config:shared bobb').waitFor();
    await question.getByRole('button', { name: 'Revoke', exact: true }).click();
    await panel.getByRole('row', { name: /bobb/ }).waitFor({ state: 'detached' });
    expect(await levels()).toMatchObject({ bob: 'READ', bobb: 'NONE' });

    // A reader sees the config and may change nothing of it.
    const reader = await visitor(dashboard.browser);
    await reader.page.goto(`${dashboard.baseUrl}/#/access/configs/shared`);
    await signIn(reader.page, { username: 'bob', password: 'bob at the dashboard' });
    const refused = reader.page.getByTitle('This needs the permission UPDATE. You have READ.');
    await expect
      .poll(() => refused.evaluateAll((all) => all.map((each) => each.textContent)))
      .toEqual(['Delete', 'Change the value', 'Share with an actor', 'Revoke', 'Revoke', 'Grant a permission']);
    await reader.close();
    expect(complaints).toEqual([]);
    await close();
  });
});
