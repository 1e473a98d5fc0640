// The cost of a start of the built daemon, as counts: loaded code, processes and requests to an engine.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, register } from '../../support/daemon/daemon.ts';

const PRELOAD = fileURLToPath(new URL('./note-start.cjs', import.meta.url));

const tidy: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of tidy.splice(0).reverse()) await each();
});

/** An engine that only says that it is there and what it is, and refuses everything else. Notes the paths of its requests. */
const refusingEngine = async (folder: string): Promise<readonly string[]> => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(new URL(url, 'http://engine').pathname);
    if (url === '/version') response.end(JSON.stringify({ Version: '1', Os: 'linux', ApiVersion: '1.41' }));
    else if (url === '/_ping') response.end('OK');
    else if (url === '/info') response.end('{}');
    else response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"no"}');
  }).listen(join(folder, 'engine.sock'));
  await once(server, 'listening');
  tidy.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return asked;
};

interface Noted {
  readonly daemon: BuiltDaemon;
  /** Outside of the daemon's home, which is deleted with it. */
  readonly folder: string;
}

const made = (): Noted => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-start-'));
  tidy.push(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    NODE_OPTIONS: `--require ${PRELOAD}`,
    NOTES: join(folder, 'notes.json'),
    DOCKER_HOST: `unix://${folder}/engine.sock`,
  };
  const daemon = builtDaemon({ env });
  tidy.push(() => daemon.remove());
  return { daemon, folder };
};

interface Notes {
  /** Files of the program, in the order in which Node loaded them. */
  readonly loaded: readonly { readonly file: string; readonly bytes: number }[];
  readonly children: readonly string[];
}

/** Starts the daemon and stops it. */
const notesOfOneRun = async ({ daemon, folder }: Noted): Promise<Notes> => {
  await daemon.start();
  await daemon.stop();
  return JSON.parse(readFileSync(join(folder, 'notes.json'), 'utf8')) as Notes;
};

describe('a start of a daemon that has nothing to do', () => {
  it('loads its entry point and one more file, without the library parts that the daemon does not use', async () => {
    const { loaded } = await notesOfOneRun(made());
    expect(loaded.map(({ file }) => basename(file))).toEqual(['actorctld.cjs', 'main.cjs']);
    // The whole program has 2.2 MB. Parts of libraries that it does not use would add 0.8 MB.
    expect(loaded[1]?.bytes).toBeLessThan(2_350_000);
  });

  it('contacts no container engine and starts no process until an actor needs them', async () => {
    const noted = made();
    const { daemon } = noted;
    const asked = await refusingEngine(noted.folder);
    expect((await notesOfOneRun(noted)).children).toEqual([]);
    expect(asked).toEqual([]);

    await daemon.start();
    await daemon.admit();
    await register(daemon, { image: 'alpine' });
    // The daemon asks what the engine is before it records that it uses the engine.
    await expect.poll(() => asked).toContain('/images/alpine/json');
    await daemon.kill();
    const before = asked.length;
    await daemon.start();
    // The daemon was killed while it used the engine, so the engine may have objects of this data folder.
    await expect.poll(() => asked.slice(before)).toContain('/containers/json');
  });
});
