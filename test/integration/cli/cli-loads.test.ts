// How much code a command loads: files of the built program, their bytes, and modules of Node. Time depends on the
// machine, but it follows these numbers.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from '../../support/daemon/home.ts';

const program = fileURLToPath(new URL('../../../dist/actorctl.cjs', import.meta.url));
const counter = fileURLToPath(new URL('../../support/commands/count-loads.cjs', import.meta.url));

interface Loads {
  /** Files of the program. */
  readonly files: number;
  /** Their size in kB of 1000 bytes. */
  readonly kilobytes: number;
  /** Modules of Node beyond those of a program that does nothing. */
  readonly modules: number;
}

/** Node 26 has more modules for the same. */
const GROWTH = Number(process.versions.node.split('.')[0]) >= 26 ? 1.25 : 1;

/** A few percent above what the commands load today: reading numbers exactly is part of most of them. */
const limits: readonly (readonly [command: string, most: Loads])[] = [
  ['--version', { files: 1, kilobytes: 7, modules: 2 }],
  ['--help', { files: 5, kilobytes: 95, modules: 24 }],
  ['completion bash', { files: 1, kilobytes: 7, modules: 2 }],
  ['actors create --help', { files: 18, kilobytes: 256, modules: 24 }],
  ['run --help', { files: 19, kilobytes: 256, modules: 32 }],
  ['executions list --help', { files: 20, kilobytes: 270, modules: 32 }],
  ['up --help', { files: 31, kilobytes: 314, modules: 67 }],
  // It asks the daemon for its address, as others send requests: over node:http.
  ['whoami', { files: 8, kilobytes: 220, modules: 42 }],
  ['actors list', { files: 11, kilobytes: 236, modules: 42 }],
  ['send echo -m hi', { files: 11, kilobytes: 232, modules: 42 }],
  ['__complete zsh : actors show', { files: 21, kilobytes: 264, modules: 42 }],
];

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.up();
  writeFileSync(path.join(home.folder, 'actor.json'), JSON.stringify({ command: ['true'] }));
  await home.json('actors', 'create', `file://${home.folder}`, '--name', 'echo');
});
afterAll(async () => {
  await home.remove();
});

const loads = (args: readonly string[], file = program): Loads => {
  const { status, output } = spawnSync(process.execPath, ['--require', counter, file, ...args], {
    env: home.env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`actorctl ${args.join(' ')} ended with ${status}: ${output[2]}`);
  return JSON.parse(output[3] ?? '') as Loads;
};

describe('a command loads at most', () => {
  it.each(limits)('%s', (command, most) => {
    const { files, kilobytes, modules } = loads(command.split(' '));
    expect(files).toBeLessThanOrEqual(most.files);
    expect(kilobytes).toBeLessThanOrEqual(most.kilobytes);
    expect(modules).toBeLessThanOrEqual(most.modules * GROWTH);
  });
});
