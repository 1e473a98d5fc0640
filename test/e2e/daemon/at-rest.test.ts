// The files and the process table during and after a run of the built programs: no secret, and nothing readable by
// other users.
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { builtDaemon, reaches, register, scriptImage, send } from '../../support/daemon/daemon.ts';
import { createHome } from '../../support/daemon/home.ts';
import { processesWith } from '../../support/engine/process-harness.ts';
import { call } from '../../support/service/call.ts';

const tidy: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const each of tidy.splice(0).reverse()) await each();
});

/** All files below a folder, except the actors that the tests wrote there. */
const everything = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(folder, path).startsWith('actors'));

/** The spellings of a secret that a file could contain. */
const spellings = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  // Base64 inside other text starts at one of three offsets. The search uses the middle of each of the three forms,
  // without the ends that vary.
  const shifted = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const inner = text.slice(shift === 0 ? 0 : 4, -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...shifted];
};

/** The daemon works while its files are read: a file that it has deleted since holds no secret and has no mode. */
const ifPresent = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const modeOf = (path: string): number => ifPresent(() => lstatSync(path).mode & 0o777) ?? 0;

const filesWith = (folder: string, secret: string): readonly string[] =>
  everything(folder)
    .filter((path) => ifPresent(() => lstatSync(path).isFile()))
    .filter((path) => {
      const content = ifPresent(() => readFileSync(path));
      return content && spellings(secret).some((spelling) => content.includes(spelling));
    })
    .map((path) => relative(folder, path));

const readableByOthers = (folder: string): readonly string[] =>
  [folder, ...everything(folder)]
    .map((path) => ({ path, mode: modeOf(path) }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${relative(folder, path)} ${mode.toString(8)}`);

describe('secrets and file permissions', () => {
  it('R139 R156 R140 no file contains a secret or is readable by others, during a run, after kill -9 and after a stop', async () => {
    const daemon = builtDaemon();
    tidy.push(() => daemon.remove());
    await daemon.start();
    const accessToken = await daemon.admit();
    const { client_id, client_secret } = await daemon.manage('daemon.client');
    const basic = `Basic ${Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64')}`;
    const password = `pässword ${randomBytes(12).toString('hex')}`;
    const wrong = `wrong-${randomBytes(12).toString('hex')}`;
    const grant = (form: Record<string, string>) =>
      call(daemon.baseUrl(), 'POST', '/token', {
        form: { scope: 'PRODUCTION', ...form },
        headers: { authorization: basic },
      });
    const token = await daemon.admit();
    expect((await daemon.ask('POST', '/users/v2', { json: { username: 'alice', password } })).status).toBe(200);
    const refused = await grant({ grant_type: 'password', username: 'alice', password: wrong });
    expect([400, 401]).toContain(refused.status);
    const made = await daemon.ask('POST', '/clients/v2', { json: { clientName: 'app' } });
    const own = `Basic ${Buffer.from(`${String(made.result['consumerKey'])}:${String(made.result['consumerSecret'])}`).toString('base64')}`;
    const granted = await call(daemon.baseUrl(), 'POST', '/token', {
      form: { grant_type: 'password', scope: 'PRODUCTION', username: 'alice', password },
      headers: { authorization: own },
    });
    expect(granted.status).toBe(200);
    const { access_token, refresh_token } = granted.json as { access_token: string; refresh_token: string };
    await call(daemon.baseUrl(), 'GET', `/actors/v2?access_token=${access_token}&x-nonce=${wrong}`);
    const actor = await register(daemon, { image: scriptImage(daemon, 'echo here; exec sleep 600'), token: true });
    const config = `config-${randomBytes(12).toString('hex')}`;
    const shared = { name: 'db', value: { config }, actors: actor, is_secret: true };
    expect((await daemon.ask('POST', '/actors/v2/configs', { json: shared })).status).toBe(200);
    await daemon.manage('secrets.rotate');
    const execution = await send(daemon, actor, { body: 'x'.repeat(200_000) });
    await reaches(daemon, actor, execution, 'RUNNING');
    const secrets = {
      accessToken,
      token,
      clientSecret: String(client_secret),
      config,
      consumerSecret: String(made.result['consumerSecret']),
      password,
      wrong,
      access_token,
      refresh_token,
    };
    const found = () =>
      Object.entries(secrets).flatMap(([name, secret]) =>
        filesWith(daemon.folder, secret).map((path) => `${name} in ${path}`),
      );
    expect(Object.values(secrets).every((secret) => secret.length > 15)).toBe(true);
    expect([found(), readableByOthers(daemon.folder)]).toEqual([[], []]);
    await daemon.kill();
    expect([found(), readableByOthers(daemon.folder)]).toEqual([[], []]);
    await daemon.start();
    expect((await daemon.stop({ haltExecutions: true })).code).toBe(0);
    expect([found(), readableByOthers(daemon.folder)]).toEqual([[], []]);
  });

  it('R139 R140 R144 R161 the command line keeps its secrets in one private file, and passes none to the daemon', async () => {
    const password = `pass ${randomBytes(12).toString('hex')}`;
    const home = createHome({ ACTORCTL_ADMIN_PASSWORD: password });
    tidy.push(() => home.remove());
    await home.up();
    const actor = await home.json<{ id: string }>('actors', 'create', scriptImage(home, 'exec sleep 600'), '--token');
    await home.json('send', actor.id, '-m', 'x');
    expect(readableByOthers(home.folder)).toEqual([]);
    expect(filesWith(home.folder, password)).toEqual([]);
    const kept = JSON.parse(readFileSync(join(home.folder, 'config', 'credentials.json'), 'utf8')) as unknown;
    const secrets = JSON.stringify(kept).match(/[A-Za-z0-9_-]{40,}/g) ?? [];
    expect(secrets.length).toBeGreaterThan(1);
    for (const secret of secrets) {
      expect(filesWith(home.folder, secret)).toEqual(['config/credentials.json']);
      expect(processesWith(secret, 'cmdline')).toEqual([]);
      expect(processesWith(secret, 'environ')).toEqual([]);
    }
    expect(processesWith(password, 'cmdline')).toEqual([]);
    expect(processesWith(password, 'environ')).toEqual([]);
  });

  it('R142 a data folder that is a symbolic link or writable by others is refused and left unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-rest-'));
    tidy.push(() => rmSync(folder, { recursive: true }));
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    mkdirSync(join(folder, 'target'), { mode: 0o700 });
    symlinkSync(join(folder, 'target'), join(folder, 'link'));
    for (const name of ['open', 'link']) {
      const daemon = builtDaemon({ flags: ['--data-dir', join(folder, name)] });
      tidy.push(() => daemon.remove());
      const word = await daemon.launch();
      expect(word).toMatchObject({ ready: false, error: { code: 'DATA_UNWRITABLE' } });
      expect(word.error?.message).toContain(join(folder, name));
      expect((await daemon.exit()).code).toBe(9);
    }
    expect([readdirSync(open), readdirSync(join(folder, 'target'))]).toEqual([[], []]);
    expect(lstatSync(open).mode & 0o777).toBe(0o777);
  });

  it('R106 an address that other machines can reach is refused without the flag that allows it', async () => {
    const daemon = builtDaemon();
    tidy.push(() => daemon.remove());
    const word = await daemon.launch('--bind', '0.0.0.0');
    expect(word).toMatchObject({
      ready: false,
      error: { code: 'CONFIG', message: expect.stringContaining('--insecure-bind') },
    });
    expect((await daemon.exit()).code).toBe(2);
  });
});
