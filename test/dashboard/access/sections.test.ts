// The view Access in a real Chromium: clients, nonces, configs and logins.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement, visitor } from '../../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../../support/browser/dashboard.ts';
import { keptBy, status } from '../../support/browser/tried-flow.ts';
import { signIn } from '../../support/daemon/login-fixture.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">\u202e';
const SHOWN = HOSTILE.replace('\u202e', '\ufffd');
const CONFIG_SECRET = 'the-secret-of-the-config';
const BOB = { username: 'bob', password: 'bob at the dashboard' } as const;

describeIf(browserRequirement(), 'the access', () => {
  let dashboard: Dashboard;
  let report: string;
  const client = (name: string, ...flags: string[]) => dashboard.home.cli(['clients', 'create', name, ...flags]);
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { home, baseUrl } = dashboard;
    await client('own-page', '--redirect-uri', `${baseUrl}/`, '--description', HOSTILE);
    await client('web-app', '--redirect-uri', 'http://127.0.0.1:3000/callback', '--public');
    report = await dashboard.actor('report');
    await home.cli(['aliases', 'create', 'weekly', 'report']);
    await home.cli(['nonces', 'create', 'report', '--max-uses', '3', '--description', HOSTILE]);
    await home.cli(['nonces', 'create', 'alias:weekly', '--level', 'READ']);
    await home.cli(['configs', 'create', '<img>', '--value', JSON.stringify({ host: HOSTILE }), '--share', 'report']);
    await home.cli(['configs', 'create', 'token', '--value', CONFIG_SECRET, '--secret']);
    await home.cli(['users', 'create', BOB.username, '--password-stdin'], { input: BOB.password });
  });
  afterAll(() => dashboard?.close());

  it('lists clients, finds them by text, and shows a hostile description as text', async () => {
    const { page, complaints, close } = await dashboard.open('access');
    await page.getByText(SHOWN, { exact: true }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type('own-page implicit');
    await page.getByText('1 of 3').waitFor();
    expect(page.url()).toContain('#/access?q=own-page+implicit');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, /own-page/);
    await page.getByText(SHOWN, { exact: true }).waitFor();
    await page.getByText('Unlimited').waitFor();
    expect(await violations(page)).toEqual([]);
    expect([await page.title(), complaints]).toEqual(['Access · clients · own-page · actorctl', []]);
    await close();
  });

  it('R191 registers a client, reveals its secret on request, and offers the client in the next flow', async () => {
    const { page, close } = await dashboard.open('access?form=new');
    await page.getByRole('textbox', { name: 'Name' }).fill('no name');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('made-here');
    await page.getByLabel('Implicit').uncheck();
    await page.getByRole('button', { name: 'Add this page' }).click();
    await page
      .getByText(
        `actorctl clients create made-here --redirect-uri ${dashboard.baseUrl}/ --grant authorization_code,password,client_credentials,refresh_token`,
      )
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('The client "made-here" is registered.').waitFor();
    await page.getByRole('button', { name: 'Show the client secret' }).click();
    const secret = (await page.locator('.secret code').textContent()) ?? '';
    await page.getByRole('button', { name: 'Hide the client secret' }).click();
    expect(secret.length).toBeGreaterThan(20);
    expect(await keptBy(page)).not.toContain(secret);
    expect(await violations(page)).toEqual([]);

    // The secret is still known on this page, so that it can be tried.
    await page.getByRole('link', { name: 'Try a flow with it' }).click();
    await page.getByLabel('Flow', { exact: true }).selectOption('client');
    await page.getByRole('button', { name: 'Send' }).click();
    await status(page, 1, '200 OK');
    await dashboard.home.cli(['clients', 'delete', 'made-here', '--yes']);
    await close();
  });

  it('R191 rotates the secret of a client, and deletes the client', async () => {
    await client('short-lived');
    const { page, close } = await dashboard.open('access/clients/short-lived');
    await page.getByRole('button', { name: 'New secret' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('actorctl clients rotate short-lived').waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'New secret', exact: true }).click();
    await page.getByText('The client has a new secret.').waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await question.getByText('actorctl clients delete short-lived').waitFor();
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await heading(page, 'Access');
    await page.getByText('3 of 3').waitFor();
    await close();
  });

  it('lists nonces of actors and aliases, and deletes a nonce after a confirmation', async () => {
    const { page, asked, complaints, close } = await dashboard.open('access/nonces');
    await page.getByRole('row', { name: /report.*3 of 3 uses left/ }).waitFor();
    await page.getByText(SHOWN, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'alias weekly' }).waitFor();
    expect(await violations(page)).toEqual([]);
    // A return within a minute reads nothing again, and Read again does.
    const reads = () => asked.filter(({ pathname }) => pathname.endsWith('/nonces')).length;
    const before = reads();
    expect(before).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Clients' }).click();
    await page.getByText('3 of 3').waitFor();
    await page.getByRole('link', { name: 'Nonces' }).click();
    await page.getByText('2 of 2').waitFor();
    expect(reads()).toBe(before);
    await page.getByRole('button', { name: 'Read again' }).click();
    await expect.poll(reads).toBe(2 * before);
    await page.getByRole('button', { name: /^Delete .* of weekly/ }).click();
    await page.getByRole('dialog').getByText('actorctl nonces delete alias:weekly').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: /^Delete .* of report/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/^actorctl nonces delete report \S+$/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('1 of 1').waitFor();
    expect((await dashboard.home.json<unknown>('nonces', 'list', 'report')) as unknown[]).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('R191 lists configs, never with the value of a secret one', async () => {
    const { page, close } = await dashboard.open('access/configs');
    await page.getByRole('row', { name: /token.*secret.*••••••••/ }).waitFor();
    await page.getByRole('row', { name: /<img src=x onerror=/ }).waitFor();
    const config = await dashboard.home.json<{ value: string }>('configs', 'show', 'token');
    for (const secret of [CONFIG_SECRET, config.value]) expect(await keptBy(page)).not.toContain(secret);
    await page.getByRole('link', { name: '<img>' }).click();
    await heading(page, /<img>/);
    await page.getByRole('link', { name: 'report' }).waitFor();
    expect([await page.locator('img').count(), await violations(page)]).toEqual([0, []]);
    await page.goto(`${dashboard.baseUrl}/#/access/configs/token`);
    await page.getByText('The value is encrypted.').waitFor();
    for (const secret of [CONFIG_SECRET, config.value]) expect(await keptBy(page)).not.toContain(secret);
    await close();
  });

  it('creates a config, changes its value with all digits, shares it, and deletes it', async () => {
    const { page, complaints, close } = await dashboard.open('access/configs');
    const { home } = dashboard;
    const shown = async () => (await home.cli(['configs', 'show', 'limits', '--json'])).stdout;
    await page.getByRole('button', { name: 'New config' }).click();
    await page.getByLabel('Name', { exact: true }).fill('limits');
    await page.getByLabel('Value: JSON, or else text').fill('{"most": 12345678901234567890}');
    const shared = page.getByLabel('Shared with actors (separated by commas)');
    await shared.fill(report);
    await page
      .getByText('actorctl configs create limits -f - --share report', { exact: true })
      .waitFor({ state: 'attached' });
    await shared.fill('');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading(page, /limits/);
    await page.getByText('12345678901234567890').waitFor();
    await page.getByRole('button', { name: 'Share with an actor' }).click();
    await page.getByLabel('Actor, by name, alias or id').fill('report');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('link', { name: 'report' }).waitFor();
    expect(await shown()).toContain('12345678901234567890');
    await page.getByRole('button', { name: 'Change the value' }).click();
    await page.getByLabel('Value: JSON, or else text').fill('plain words');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('revision 3').waitFor();
    expect(JSON.parse(await shown())).toMatchObject({ value: 'plain words', actors: report });
    await page.getByRole('button', { name: 'Stop sharing with report' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByText('No actor.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('The config limits is deleted.').waitFor();
    expect((await home.cli(['configs', 'show', 'limits'])).code).not.toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('a secret config keeps its value when it is shared', async () => {
    const { home } = dashboard;
    const { page, close } = await dashboard.open('access/configs/token');
    await page.getByRole('button', { name: 'Share with an actor' }).click();
    await page.getByLabel('Actor, by name, alias or id').fill('report');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('link', { name: 'report' }).waitFor();
    const { stdout } = await home.cli(['run', 'report', '-m', 'configs', '--quiet']);
    // The actor got the value: it is masked in the log.
    expect(stdout).toContain('"token":"***"');
    await page.getByRole('button', { name: 'Stop sharing with report' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByText('No actor.').waitFor();
    await close();
  });

  it('shows a user without roles an empty page with a hint how to begin', async () => {
    const { page, complaints, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/#/access`);
    await signIn(page, BOB);
    await page.getByText('actorctl clients create web-app').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Try a flow' }).click();
    await page
      .getByText(`actorctl clients create web-app --redirect-uri ${dashboard.baseUrl}/`)
      .waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Nonces' }).click();
    await page.getByText('Your actors have no nonces. Create one with New nonce.').waitFor();
    await page.getByRole('link', { name: 'Configs' }).click();
    await page.getByText('No configs yet. Create one with New config').waitFor();
    await page.getByText('actorctl configs create db').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Logins' }).click();
    await page.getByRole('row', { name: /This page actorctl dashboard/ }).waitFor();
    await page.getByRole('definition').getByText('actorctl-dashboard.DEV').waitFor();
    expect([await violations(page), complaints]).toEqual([[], []]);
    await close();
  });

  it.each(['light', 'dark'] as const)(
    'axe finds no accessibility problem in any section, %s, at 375 px',
    async (colorScheme) => {
      const { page, close } = await dashboard.open('access', { colorScheme, viewport: { width: 375, height: 800 } });
      for (const [part, text] of [
        ['', '3 of 3'],
        ['/clients/web-app', 'public, without a secret'],
        ['/try', 'Each request and its response appear here.'],
        ['/configs', '2 of 2'],
        ['/logins', 'Log out of this browser'],
      ] as const) {
        await page.goto(`${dashboard.baseUrl}/#/access${part}`);
        await page.getByText(text, { exact: true }).waitFor();
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      }
      await close();
    },
  );
});
