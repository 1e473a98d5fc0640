// Files with a byte order mark and CR LF, as editors on Windows write them, mean the same as without.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

const MARK = '\ufeff';

it('messages, configs, descriptions, states and events read from a file have no byte order mark', async () => {
  const home = inProcessHome(NO_ENGINE);
  onTestFinished(() => home.remove());
  await home.up();
  const file = (name: string, text: string): string => {
    const made = path.join(home.folder, 'files', name);
    mkdirSync(path.dirname(made), { recursive: true });
    writeFileSync(made, `${MARK}${text}`);
    return made;
  };
  file('echo/actor.json', '{\r\n  "command": ["sh", "-c", "printf %s \\"$MSG\\""]\r\n}\r\n');
  const description = file(
    'echo.json',
    `{"image":"file://${path.join(home.folder, 'files', 'echo')}","stateless":false}\r\n`,
  );
  await home.json('actors', 'create', '--name', 'echo', '-f', description, '--wait');

  const log = async (...args: string[]) => (await home.cli(['run', 'echo', ...args])).stdout;
  expect(await log('-f', file('text.txt', 'hello'))).toBe('hello');
  expect(await log('-f', file('m.json', '{"a":1}'))).toBe('{"a":1}');
  expect(await log('-f', file('forced.json', '{"a":1}'), '--type', 'text')).toBe('{"a":1}');

  await home.json('configs', 'create', 'c', '-f', file('config.json', '{"a":1}\r\n'));
  expect(await home.json('configs', 'show', 'c')).toMatchObject({ value: { a: 1 } });
  await home.json('state', 'set', 'echo', '-f', file('state.json', '{"n":1}'));
  expect(await home.json('state', 'get', 'echo')).toEqual({ n: 1 });
  await home.json(
    'events',
    'emit',
    'READING',
    '--actor',
    'echo',
    '--data',
    `@${file('event.json', '{"status_message":"x"}')}`,
  );
});
