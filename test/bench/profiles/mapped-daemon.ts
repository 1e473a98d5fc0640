// From a position in the built daemon to its source file. The daemon is built once more with a source map, to the same
// bytes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type RolldownOptions } from 'rolldown';
import type { SourceOf } from './shares.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = path.join(root, 'dist', 'daemon', 'main.cjs');
/** The profiler names files by URL. */
const MAIN_URL = pathToFileURL(MAIN).href;
const CONFIG = pathToFileURL(path.join(root, 'rolldown.config.mjs')).href;

/** @throws Error if `dist` was not built from this source */
export const mapDaemon = async (): Promise<SourceOf> => {
  const { default: programs } = (await import(CONFIG)) as { default: RolldownOptions[] };
  const daemon = programs.find(
    ({ input }) => typeof input === 'object' && 'main' in input && input['main'] === 'daemon/main.ts',
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-'));
  try {
    await build({ ...daemon, cwd: root, output: { ...daemon?.output, dir: folder, sourcemap: 'hidden' } });
    if (!readFileSync(path.join(folder, 'main.cjs')).equals(readFileSync(MAIN)))
      throw new Error('dist/daemon/main.cjs is not of this source. Run npm run build.');
    const map = new SourceMap(JSON.parse(readFileSync(path.join(folder, 'main.cjs.map'), 'utf8')) as SourceMapPayload);
    return ({ url, lineNumber, columnNumber }) => {
      if (url !== MAIN_URL) return url;
      // The first line of the file is its wrapper.
      const entry = map.findEntry(lineNumber - 1, columnNumber);
      // Relative to the folder of the map.
      const { originalSource } = entry as { originalSource?: string };
      return originalSource === undefined ? url : path.relative(root, path.resolve(folder, originalSource));
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
