// Files of a folder that another person created: a FIFO, a device or a huge file in place of a file is refused, not
// waited for.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packContext } from '../../../src/local/project/build-context.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
let folder: string;
beforeEach(() => {
  home = inProcessHome();
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-folder-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await home.remove();
});

const put = (name: string, content: string): void => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
};

/** What stands in the place of a file. */
const traps: readonly (readonly [string, (file: string) => void, string])[] = [
  ['a link to /dev/zero', (file) => symlinkSync('/dev/zero', file), 'it is not a regular file'],
  ['a FIFO', (file) => execFileSync('mkfifo', [file]), 'it is not a regular file'],
  [
    'a link to a FIFO',
    (file) => {
      execFileSync('mkfifo', [`${file}.fifo`]);
      symlinkSync(`${file}.fifo`, file);
    },
    'it is not a regular file',
  ],
  ['a folder', (file) => mkdirSync(file), 'it is a folder'],
  [
    'a file without an end',
    (file) => {
      writeFileSync(file, '');
      truncateSync(file, 2 ** 40);
    },
    'MiB',
  ],
];

/** Files that commands read from a folder, with the command, and what else the folder has. */
const places: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
  ['actorctl.yaml', ['diff', '-f', 'FOLDER'], {}],
  ['actorctl.json', ['actors', 'build', 'FOLDER'], {}],
  ['env', ['diff', '-f', 'FOLDER'], { 'actorctl.yaml': 'project: p\nactors: {a: {image: x, env_file: env}}' }],
  ['key', ['diff', '-f', 'FOLDER'], { 'actorctl.yaml': 'project: p\nconfigs: {a: {secret: "file:key"}}' }],
  ['reactor.rc', ['actors', 'init', 'FOLDER', '--from-abaco'], {}],
];

describe.each(places)('%s', (name, command, files) => {
  it.each(traps)('as %s is refused by name', async (_case, trap, reason) => {
    for (const [each, content] of Object.entries(files)) put(each, content);
    trap(path.join(folder, name));
    const args = [...command.map((each) => (each === 'FOLDER' ? folder : each)), '--allow-outside'];
    const { code, stderr } = await home.cli(name === 'reactor.rc' ? args.slice(0, -1) : args);
    expect(stderr).toContain(reason);
    // Names in a project file are followed before they are read.
    expect(stderr).toMatch(
      /^error: (?:\S*actorctl\.yaml:2:\d+: )?cannot read \S*(?:reactor\.rc|actorctl\.(?:yaml|json)|env|key|\/dev\/zero)/,
    );
    expect(code).toBe(2);
  });
});

it.each(['.dockerignore', 'Dockerfile', 'Dockerfile.dockerignore'])(
  '%s of a build is refused as well',
  async (name) => {
    for (const [, trap, reason] of traps) {
      rmSync(folder, { recursive: true });
      put('main.sh', '');
      if (name !== 'Dockerfile') put('Dockerfile', 'FROM scratch');
      trap(path.join(folder, name));
      await expect(packContext(folder, 'Dockerfile')).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(new RegExp(`${name.replaceAll('.', '\\.')}: .*${reason}`)),
      });
    }
  },
);

it('a device that the user names is read up to the limit', async () => {
  const { code, stderr } = await home.cli(['diff', '-f', '/dev/zero']);
  expect(stderr).toContain('/dev/zero has more than 1048576 bytes');
  expect(code).toBe(2);
});
