// An npm registry that serves the packages of node_modules, so that a test can install without a network.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface LockEntry {
  readonly version: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/** The packages of package-lock.json by their folder. */
export const lockedPackages = (): readonly (readonly [folder: string, entry: LockEntry])[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(packages).filter(([folder]) => folder !== '');
};

export const nameIn = (folder: string): string => folder.replace(/^.*node_modules\//, '');

export interface NpmRegistry {
  readonly url: string;
  readonly close: () => void;
}

export const startNpmRegistry = async (): Promise<NpmRegistry> => {
  const packages = lockedPackages();
  let url = '';
  const versionsOf = (name: string) =>
    packages
      .filter(([folder]) => nameIn(folder) === name && existsSync(join(root, folder)))
      .map(([folder, { version }]): [string, unknown] => {
        const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as object;
        return [version, { ...manifest, dist: { tarball: `${url}-/${encodeURIComponent(folder)}.tgz` } }];
      });
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url?.slice(1) ?? '');
    const [, folder] = /^-\/(.+)\.tgz$/.exec(asked) ?? [];
    if (folder !== undefined) {
      const where = join(root, folder);
      const args = ['-cz', '--exclude=node_modules', '-C', dirname(where), basename(where)];
      spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response);
      return;
    }
    const versions = versionsOf(asked);
    const [latest] = versions.at(-1) ?? [];
    if (latest === undefined) response.statusCode = 404;
    response.end(JSON.stringify({ name: asked, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, close: () => server.close() };
};
