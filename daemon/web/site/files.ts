// Reads the built dashboard: a page, and assets that were compressed at build time.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The name of the page in the build. */
const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  readonly type: string;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

export interface SiteFiles {
  /** The page, a template. */
  readonly page: string;
  /** By file name. Each name contains a hash of its content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** Reads everything: together it is smaller than one message. @throws Error if the folder is not complete */
export const readSite = async (folder: string): Promise<SiteFiles> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.br')).map((name) => name.slice(0, -3));
  const assets = await Promise.all(
    names.map(async (name): Promise<[string, Asset]> => {
      const [br, gzip] = await Promise.all([
        readFile(path.join(folder, `${name}.br`)),
        readFile(path.join(folder, `${name}.gz`)),
      ]);
      return [name, { type: TYPES[path.extname(name)] ?? 'application/octet-stream', br, gzip }];
    }),
  );
  return { page: await readFile(path.join(folder, PAGE), 'utf8'), assets: new Map(assets) };
};

const decompress = promisify(gunzip);

/** The bytes of an asset in an encoding that the client accepts. */
export const encodedFor = async (
  accepted: string,
  { br, gzip }: Asset,
): Promise<{ readonly bytes: Buffer; readonly encoding?: 'br' | 'gzip' }> => {
  const names = accepted.split(',').map((part) => part.trim());
  const takes = (name: string) =>
    names.some((each) => each === name || (each.startsWith(`${name};`) && !/;\s*q=0(\.0*)?$/.test(each)));
  if (takes('br')) return { bytes: br, encoding: 'br' };
  if (takes('gzip')) return { bytes: gzip, encoding: 'gzip' };
  return { bytes: await decompress(gzip) };
};
