// How much code a command loads: files of the built program, their bytes, and modules of Node. Time depends on the
// machine, but it follows these numbers.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** About a tenth above what the commands load today. */
const limits: readonly (readonly [command: string, most: Loads])[] = [
  ['--version', { files: 1, kilobytes: 6, modules: 23 }],
  ['--help', { files: 6, kilobytes: 87, modules: 29 }],
  ['completion bash', { files: 1, kilobytes: 6, modules: 23 }],
  ['actors create --help', { files: 22, kilobytes: 275, modules: 44 }],
  ['whoami', { files: 9, kilobytes: 180, modules: 41 }],
  ['actors list', { files: 22, kilobytes: 275, modules: 55 }],
  ['send echo -m hi', { files: 14, kilobytes: 205, modules: 52 }],
  ['__complete zsh : actors show', { files: 32, kilobytes: 335, modules: 65 }],
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

const loads = (args: readonly string[]): Loads => {
  const { status, output } = spawnSync(process.execPath, ['--require', counter, program, ...args], {
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
    const importing = readdirSync(folder)
      .filter((name) => name.endsWith('.cjs') && readFileSync(path.join(folder, name), 'utf8').includes('import('))
      .map((name) => name.replace(/-.{8}\.cjs$/, ''));
    expect(importing).toEqual(['libraries']);
    const [name = ''] = readdirSync(folder).filter((each) => each.startsWith('libraries-'));
    expect(readFileSync(path.join(folder, name), 'utf8')).not.toContain('require(');
  });

  it('that a command loads are not compiled again by its next run', () => {
    loads(['whoami']);
    const caches = readdirSync(folder).filter((name) => name.endsWith('.cache'));
    // A hash of eight characters follows the name, and may contain hyphens.
    const names = caches.map((name) => name.replace(/(-.{8})?\.cjs\..*/, ''));
    expect(names).toEqual(expect.arrayContaining(['line', 'main', 'run', 'whoami']));
  });
});
