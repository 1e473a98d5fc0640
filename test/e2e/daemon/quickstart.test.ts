// A quickstart that is stopped by a signal leaves neither a daemon nor data.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { preloads } from '../../support/preloads/preloads.ts';

const quickstart = fileURLToPath(new URL('../../../examples/quickstart.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'actorctl-quickstart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('the quickstart stops its daemon after %s and exits with %i', async (signal, code) => {
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: folder,
    TMPDIR: folder,
    XDG_RUNTIME_DIR: folder,
    NODE_OPTIONS: preloads.join(' '),
    // A context of the person must not be used.
    ACTORCTL_BASE_URL: 'http://127.0.0.1:9',
    ACTORCTL_OUTPUT: 'json',
  };
  const child = spawn(process.execPath, [quickstart], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (shown === '') child.kill(signal);
    shown += text;
  });
  expect(await once(child, 'close')).toEqual([code, null]);
  expect(shown.match(/^\$ actorctl \w+/gm)).toEqual(['$ actorctl up', '$ actorctl down']);
  expect(shown).toContain('Stopped the daemon');
  expect(readdirSync(folder).filter((name) => name.startsWith('actorctl-'))).toEqual([]);
});
