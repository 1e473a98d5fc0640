// Error messages for a folder that cannot be a file: actor.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readActorFolder } from '../../../daemon/executor/process/actor-folder.ts';
import { ExecutorError } from '../../../daemon/ports/executor.ts';

const home = mkdtempSync(join(tmpdir(), 'actorctl-folder-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let serial = 0;
const folderWith = (actorJson?: string | Buffer): string => {
  serial += 1;
  const path = join(home, `f${serial}`);
  mkdirSync(path);
  if (actorJson !== undefined) writeFileSync(join(path, 'actor.json'), actorJson);
  return path;
};
const imageOf = (path: string): string => pathToFileURL(path).href;
const refusal = async (image: string): Promise<ExecutorError> => {
  try {
    await readActorFolder(image);
  } catch (error) {
    if (error instanceof ExecutorError) return error;
    throw error;
  }
  throw new Error(`${image} was taken`);
};

describe('the folder of a file: actor', () => {
  it('determines the working folder and the command', async () => {
    const path = folderWith('{"command": ["node", "main.js", ""], "other": 1}');
    expect(await readActorFolder(imageOf(path))).toEqual({ folder: path, command: ['node', 'main.js', ''] });
  });

  it('may contain spaces in its name, written plainly or encoded', async () => {
    const path = join(home, 'my actor ž');
    mkdirSync(path);
    writeFileSync(join(path, 'actor.json'), '{"command":["true"]}');
    expect((await readActorFolder(imageOf(path))).folder).toBe(path);
    expect((await readActorFolder(`file://${path}`)).folder).toBe(path);
  });

  it.each([
    ['file:relative/folder', 'does not name an absolute folder'],
    ['file://host/folder', 'does not name an absolute folder'],
    ['file:///folder?x=1', 'contains "?" or "#"'],
    ['file:///folder#x', 'contains "?" or "#"'],
    ['file:///a%00b', 'NUL'],
    ['file:///a%2Fb', 'is not a valid address'],
    ['file:///no/such/folder', 'Cannot use the folder /no/such/folder: it does not exist'],
  ])('%s is refused', async (image, words) => {
    const error = await refusal(image);
    expect(error.kind).toBe('image');
    expect(error.message).toContain(words);
  });

  it.each([
    ['no actor.json', undefined, 'actor.json: it does not exist'],
    ['an empty actor.json', '', ':1:1: the text ends too early'],
    ['malformed JSON', '{"command": [', ':1:14: the text ends too early'],
    ['JSON that is not an object', '["node"]', 'has no "command"'],
    ['null', 'null', 'has no "command"'],
    ['no command', '{}', 'has no "command"'],
    ['a command that is text', '{"command": "node main.js"}', 'Write it as {"command":["node","main.js"]}'],
    ['an empty command', '{"command": []}', 'has no "command"'],
    ['a command with a part that is not text', '{"command": ["node", 1]}', 'contains a value that is not a string'],
    ['a NUL', '{"command": ["no\\u0000de"]}', 'contains a NUL'],
    ['a command with an empty program name', '{"command": [""]}', 'begins with an empty string'],
    ['a file of more than 64 KB', `{"command": ["${'x'.repeat(65_536)}"]}`, 'larger than 64 KB'],
  ])('%s is refused, and the refusal names the file and the expected content', async (_, text, words) => {
    const path = folderWith(text);
    const error = await refusal(imageOf(path));
    expect(error.kind).toBe('image');
    expect(error.message).toContain(join(path, 'actor.json'));
    expect(error.message).toContain(words);
  });

  it('may have an actor.json of exactly 64 KB', async () => {
    const text = '{"command":["true"]}'.padEnd(65_536);
    expect((await readActorFolder(imageOf(folderWith(text)))).command).toEqual(['true']);
  });

  it('is refused if it is a file', async () => {
    const path = join(home, 'plain');
    writeFileSync(path, '');
    expect((await refusal(imageOf(path))).message).toContain('is not a folder');
  });

  it('is refused without waiting if actor.json is a pipe or a folder', async () => {
    const piped = folderWith();
    execFileSync('mkfifo', [join(piped, 'actor.json')]);
    expect((await refusal(imageOf(piped))).message).toContain('is not a regular file');
    const nested = folderWith();
    mkdirSync(join(nested, 'actor.json'));
    expect((await refusal(imageOf(nested))).message).toContain('is not a regular file');
  });

  it('is refused if actor.json is a broken symbolic link', async () => {
    const path = folderWith();
    symlinkSync('/no/such/file', join(path, 'actor.json'));
    expect((await refusal(imageOf(path))).message).toContain('it does not exist');
  });
});
