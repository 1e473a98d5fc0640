// A login in a real keyring: gnome-keyring on a D-Bus session of its own.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ADMIN, createHome } from '../support/home.ts';
import { describeIf, requirement } from '../support/requirements.ts';

const program = fileURLToPath(new URL('../../dist/actorctl.cjs', import.meta.url));
const has = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const session = 'dbus-run-session';
const keyring = requirement(
  'keyring',
  has(session) && has('gnome-keyring-daemon'),
  'there is no gnome-keyring or no dbus-run-session; install gnome-keyring and dbus',
);

/** Runs a script in which `actorctl` is the built program, in a session with an unlocked keyring. */
const inSession = (
  script: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const whole = `
      eval "$(printf secret | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"
      actorctl() { "${process.execPath}" "${program}" "$@"; }
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

describeIf(keyring, 'a real keyring', () => {
  it('R139 R161 holds the login, the file only says so, and logout empties it', { timeout: 60_000 }, async () => {
    const home = createHome({ ACTORCTL_CREDENTIAL_STORE: 'auto' });
    try {
      const env = {
        ...home.env,
        HOME: path.join(home.folder, 'user'),
        XDG_RUNTIME_DIR: path.join(home.folder, 'user'),
      };
      mkdirSync(env.HOME, { mode: 0o700 });
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
      const file = readFileSync(path.join(home.folder, 'config', 'credentials.json'), 'utf8');
      expect(JSON.parse(file).accounts).toEqual({ 'local/default': { store: 'keychain' } });
    } finally {
      await home.remove();
    }
  });
});
