// Benchmark: where the time of a command goes, from the first JavaScript of Node to the end of the process.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Home } from '../../support/daemon/home.ts';
import { inCommandHome, PROGRAM } from '../command-home.ts';
import { profileIn, profiling } from './profile-file.ts';
import { sharesOf, sharesTable, sumOf } from './shares.ts';

const RUNS = 20;
const COMMANDS: readonly (readonly string[])[] = [['whoami'], ['actors', 'list']];

/** The parts by source, the first match counts. */
const parts: readonly (readonly [part: string, source: RegExp])[] = [
  ['modules of Node that the command needs', /^node:internal\/bootstrap\/realm$/],
  ['start of Node, until the program runs', /^node:internal\/(?:modules|process|main|util|options|errors|bootstrap)/],
  [
    'reading and compiling the program',
    /^node:(?:vm|fs|internal\/fs|path|buffer|internal\/buffer)|\/dist\/actorctl\.cjs$/,
  ],
  ['commander, and the plan of the command line', /\/dist\/actorctl\/line-/],
  ['the command itself', /\/dist\/actorctl\//],
  ['requests: node:http, sockets, streams and timers', /^node:/],
];

/** The part of a source file. Files of the program are named by their chunks. */
export const commandPartOf = (source: string): string =>
  parts.find(([, pattern]) => pattern.test(source))?.[0] ?? 'other';

const profileOf = (home: Home, command: readonly string[]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-'));
  try {
    const args = [...profiling(folder), PROGRAM, ...command];
    const { status } = spawnSync(process.execPath, args, { env: home.env, stdio: 'ignore' });
    if (status !== 0) throw new Error(`actorctl ${command.join(' ')} ended with ${status}`);
    const always = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    return sharesOf(profileIn(folder), always, ({ url }) => url, commandPartOf);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The table of one command: the mean of some runs, after one that compiles. */
const tableOf = (home: Home, command: readonly string[]): string => {
  profileOf(home, command);
  const shares = sumOf(Array.from({ length: RUNS }, () => profileOf(home, command)));
  const busy = shares.reduce((sum, [, ms]) => sum + ms, 0) / RUNS;
  return [
    `**\`actorctl ${command.join(' ')}\`**: ${busy.toFixed(1)} ms for each run, without what Node does before its first JavaScript and after its last.`,
    '',
    sharesTable(shares, RUNS),
  ].join('\n');
};

/** The tables of the commands. */
export const commandProfiles = (): Promise<string> =>
  inCommandHome((home) => Promise.resolve(COMMANDS.map((command) => tableOf(home, command)).join('\n\n')));
