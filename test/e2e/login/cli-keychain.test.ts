// Logins in a real keychain, gnome-keyring on its own D-Bus session, and logins when D-Bus or the keyring fails.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, cheapPasswords, createHome, type Home } from '../../support/daemon/home.ts';
import { type SilentBus, silentBus } from '../../support/daemon/silent-bus.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';

const program = fileURLToPath(new URL('../../../dist/actorctl.cjs', import.meta.url));
const has = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const session = 'dbus-run-session';
const keyring = requirement(
  'keyring',
  has(session) && has('gnome-keyring-daemon'),
  'there is no gnome-keyring or no dbus-run-session; install gnome-keyring and dbus',
);

/** Runs a script in a session with an unlocked keyring. In the script, `actorctl` is the built program. */
const inSession = (
  script: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const whole = `
      eval "$(printf secret | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"
      actorctl() { "${process.execPath}" ${cheapPasswords.join(' ')} "${program}" "$@"; }
      ${script}`;
    const child = spawn(session, ['--', 'bash', '-c', whole], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (piece: string) => {
      text += piece;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, text }));
  });

/** A home whose programs try the keychain first, in their own user folder. */
const withKeychain = async (
  work: (house: { readonly home: Home; readonly env: NodeJS.ProcessEnv }) => Promise<void>,
): Promise<void> => {
  const home = createHome({ ...NO_ENGINE, ACTORCTL_CREDENTIAL_STORE: 'auto' });
  try {
    const user = path.join(home.folder, 'user');
    mkdirSync(user, { mode: 0o700 });
    await work({ home, env: { ...home.env, HOME: user, XDG_RUNTIME_DIR: user } });
  } finally {
    await home.remove();
  }
};

const credentialsFileOf = ({ folder }: Home): string => path.join(folder, 'config', 'credentials.json');
const credentialsOf = (home: Home): string => readFileSync(credentialsFileOf(home), 'utf8');

const LOGIN = ['login', '--flow', 'password', '--username', ADMIN.username, '--password-stdin'] as const;
const IN_KEYCHAIN = { 'local/default': { store: 'keychain' } };

describeIf(keyring, 'a real keyring', () => {
  it(
    'R139 R161 holds the login, the file only refers to the keyring, and logout empties it',
    { timeout: 120_000 },
    () =>
      withKeychain(async ({ home, env }) => {
        const { text, code } = await inSession(
          `actorctl up --port auto --login --json | grep logged_in
         actorctl whoami --jq .token_source -r
         actorctl actors list --json
         actorctl logout
         actorctl whoami; echo "exit $?"
         actorctl login --username ${ADMIN.username} --password-stdin --store keychain <<< '${ADMIN.password}' | head -c 20; echo
         actorctl down -q`,
          env,
        );
        expect(text).toContain('"logged_in": true');
        expect(text).toContain('\nkeychain\n[]\n');
        expect(text).toContain('exit 4');
        expect(text).toContain('Logged in as dev');
        expect(code).toBe(0);
        expect(JSON.parse(credentialsOf(home)).accounts).toEqual(IN_KEYCHAIN);
      }),
  );

  it('R139 R64 gets the renewed token, after one refresh and after 8 commands at once', { timeout: 120_000 }, () =>
    withKeychain(async ({ env }) => {
      const { text, code } = await inSession(
        `actorctl up --port auto --login > /dev/null
         first=$(actorctl auth token)
         actorctl tenants update DEV --lifetime password=10m > /dev/null
         actorctl auth refresh -q
         second=$(actorctl auth token)
         actorctl tenants update DEV --lifetime password=4h > /dev/null
         for n in $(seq 8); do actorctl auth token --min-ttl 1h & done | sort | uniq -c | awk '{ print $1 }' > "$HOME/tokens"
         third=$(actorctl auth token)
         echo "different $(printf '%s\n' "$first" "$second" "$third" | sort -u | grep -c .)"
         echo "at once $(cat "$HOME/tokens")"
         ACTORCTL_TOKEN=$third actorctl actors list --json
         actorctl whoami --jq .token_source -r
         for token in $first $second $third; do grep -rlF -e "$token" "$ACTORCTL_HOME"; done; echo 'looked'
         actorctl logout -q
         ACTORCTL_TOKEN=$third actorctl actors list --json; echo "exit $?"
         actorctl down -q`,
        env,
      );
      expect(text).toBe('different 3\nat once 8\n[]\nkeychain\nlooked\nexit 4\n');
      expect(code).toBe(0);
    }),
  );

  it('that stops answering is reported, and no part of the login is lost', { timeout: 120_000 }, () =>
    withKeychain(async ({ home, env }) => {
      const bus = await silentBus(home.folder);
      const { text } = await inSession(
        `actorctl up --port auto --login -q
         DBUS_SESSION_BUS_ADDRESS='${bus.address}' timeout 60 "${process.execPath}" "${program}" whoami 2>&1; echo "exit $?"
         actorctl whoami --jq .token_source -r
         actorctl down -q`,
        env,
      );
      await bus.close();
      expect(text).toMatch(/cannot read the login from the keychain: .+\n(.+\n)?exit 4\nkeychain\n$/);
      expect(JSON.parse(credentialsOf(home)).accounts).toEqual(IN_KEYCHAIN);
    }),
  );
});

describe('without a working keychain', () => {
  const buses: readonly (readonly [what: string, address: (bus: SilentBus) => string])[] = [
    ['a D-Bus that never answers', ({ address }) => address],
    ['a D-Bus that is not there', ({ address }) => `${address}-gone`],
    ['no D-Bus at all', () => ''],
  ];
  it.each(buses)(
    'with %s a login is stored in the file, with one line that says so',
    { timeout: 120_000 },
    (_, addressOf) =>
      withKeychain(async ({ home, env }) => {
        await home.json('up', '--port', 'auto');
        // Deletes the result of the keychain check of `up`, so that the login is the first to ask the keychain.
        rmSync(credentialsFileOf(home));
        const bus = await silentBus(home.folder);
        const session = { ...env, DBUS_SESSION_BUS_ADDRESS: addressOf(bus) };
        // A program that waits for ever is killed.
        const { status, stderr } = spawnSync('timeout', ['60', process.execPath, program, ...LOGIN], {
          env: session,
          input: ADMIN.password,
          encoding: 'utf8',
        });
        expect([status, stderr]).toEqual([0, expect.stringMatching(/^.*the keychain is not used \(.+\).*\n$/)]);
        expect(JSON.parse(credentialsOf(home)).accounts['local/default'].store).toBe('file');
        const again = await home.cli(['whoami', '--json'], { env: session });
        expect([again.code, again.stderr, JSON.parse(again.stdout).token_source]).toEqual([0, '', 'file']);
        await bus.close();
      }),
  );
});
