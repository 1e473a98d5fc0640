// Benchmark: where the time of a load of the store goes, file by file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { temporaryHome } from '../daemon.ts';
import { fill, openBenchStore } from '../records.ts';
import { loadOnce } from '../store.ts';
import { profileIn, profiling } from './profile-file.ts';
import { partOf, sharesOf, sharesTable } from './shares.ts';

const STORED = 200_000;

/** A file of the store by its name, others by their part. */
const fileOf = (source: string): string => /daemon\/(store\/.+\.ts)$/.exec(source)?.[1] ?? partOf(source);

/** The table of a load of executions. */
export const loadProfile = async (): Promise<string> => {
  const home = temporaryHome();
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-'));
  try {
    const store = await openBenchStore(home.folder);
    await fill(store, STORED);
    await store.close();
    const window = await loadOnce('ours', home.folder, profiling(folder));
    const shares = sharesOf(profileIn(folder), window, ({ url }) => url, fileOf);
    return [
      `**Load**: a process loads ${STORED} executions, in ${Math.round(window.ms)} ms. What the parsing of JSON and the checksums take belongs to the files that call them.`,
      '',
      sharesTable(shares, STORED),
    ].join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
    home.remove();
  }
};
