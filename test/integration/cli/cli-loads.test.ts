// How much code a command loads: files of the built program, their bytes, and modules of Node. Time depends on the
// machine, but it follows these numbers.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WRAPPED } from '../../../bin/wrapped-code.ts';
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

/** About a tenth above what the commands load today. */
const limits: readonly (readonly [command: string, most: Loads])[] = [
  ['--version', { files: 1, kilobytes: 7, modules: 2 }],
  ['--help', { files: 5, kilobytes: 87, modules: 25 }],
  ['completion bash', { files: 1, kilobytes: 7, modules: 2 }],
  ['actors create --help', { files: 11, kilobytes: 138, modules: 24 }],
  ['run --help', { files: 8, kilobytes: 106, modules: 24 }],
  ['executions list --help', { files: 10, kilobytes: 142, modules: 24 }],
  ['up --help', { files: 11, kilobytes: 178, modules: 34 }],
  ['whoami', { files: 8, kilobytes: 180, modules: 31 }],
  ['actors list', { files: 11, kilobytes: 196, modules: 40 }],
  ['send echo -m hi', { files: 9, kilobytes: 203, modules: 40 }],
  ['__complete zsh : actors show', { files: 13, kilobytes: 225, modules: 40 }],
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
    expect(modules).toBeLessThanOrEqual(most.modules);
  });
});

describe('the files of the program', () => {
  const folder = path.join(path.dirname(program), 'actorctl');

  it('import libraries in one file only, which Node loads without a code cache', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.cjs'));
    const text = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
    expect(files.filter((name) => text(name).includes('import('))).toEqual(['libraries.cjs']);
    // The loader leaves a file that is not wrapped to Node.
    expect(files.filter((name) => !text(name).startsWith(WRAPPED))).toEqual(['libraries.cjs']);
    expect(text('libraries.cjs')).not.toContain('require("./');
  });

  it('that a command loads are not compiled again by its next run', () => {
    loads(['whoami']);
    const caches = readdirSync(folder).filter((name) => name.endsWith('.cache'));
    // A hash of eight characters follows the name, and may contain hyphens.
    const names = caches.map((name) => name.replace(/(-.{8})?\.cjs\..*/, ''));
    expect(names).toEqual(expect.arrayContaining(['line', 'main', 'run', 'whoami']));
  });

  it('are not compiled again by a second run of another command either', () => {
    // A copy: other tests run the program meanwhile, and add their commands to its caches.
    const copied = path.join(home.folder, 'program');
    const own = path.join(copied, 'actorctl');
    cpSync(program, path.join(copied, 'actorctl.cjs'));
    cpSync(folder, own, { recursive: true, filter: (name) => !name.includes('.cache') });
    const run = (...args: readonly string[]) => loads(args, path.join(copied, 'actorctl.cjs'));
    const written = () =>
      Object.fromEntries(
        readdirSync(own)
          .filter((name) => /^(?:line|run)-.*\.cache$/.test(name))
          .map((name) => [name, statSync(path.join(own, name)).ino]),
      );
    run('whoami');
    const first = written();
    expect(Object.keys(first)).toHaveLength(2);
    run('actors', 'list');
    const second = written();
    for (const [name, inode] of Object.entries(first)) expect(second[name]).not.toBe(inode);
    run('actors', 'list');
    run('whoami');
    expect(written()).toEqual(second);
  });
});
