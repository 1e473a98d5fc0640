// Benchmark: what the longest turns of the event loop consist of while many executions are written.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWith } from '../floors/bare-process.ts';
import { profileIn, profiling } from './profile-file.ts';
import { sharesOf, sharesTable, sumOf, type Window } from './shares.ts';

const PROCESS = fileURLToPath(new URL('./turns-process.ts', import.meta.url));
const COUNT = 300_000;

/** The table of the longest turns. */
export const turnsProfile = async (): Promise<string> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-'));
  try {
    const flags = profiling(folder);
    const writing = await startWith(flags, PROCESS);
    const turns = (await writing.ask({ count: COUNT })) as readonly Window[];
    // The profile is written at the end of the process.
    await writing.stop();
    const profile = profileIn(folder);
    const shares = sumOf(turns.map((turn) => sharesOf(profile, turn, ({ url }) => url)));
    const lengths = turns.map(({ from, to }) => (to - from) / 1_000);
    const between = `${Math.min(...lengths).toFixed(1)} to ${Math.max(...lengths).toFixed(1)} ms`;
    return [
      `**Longest turns**: ${COUNT} executions are written as for the row of the longest stall, 200 at a time. The ${turns.length} longest turns took ${between}; the figures are for each of them.`,
      '',
      sharesTable(shares, turns.length),
    ].join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
