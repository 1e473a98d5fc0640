// `--token-file`: pipes, which can be read only once, and files whose token is replaced while a command runs.
import { execFileSync, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliService, json, startCliService } from '../../support/daemon/cli-service.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let service: CliService;
let home: Home;
/** The tokens of the requests. */
let carried: (string | undefined)[];
/** Called with each request. */
let answered: () => void;

beforeEach(async () => {
  service = await startCliService();
  home = inProcessHome({ ACTORCTL_BASE_URL: service.origin });
  carried = [];
  answered = () => undefined;
  service.answer = ({ headers }, response) => {
    carried.push(headers.authorization);
    answered();
    const result = { id: 'a', name: 'a', stateless: false, state: '{"n":1}', version: 1 };
    json(response, 200, { message: '', result, status: 'success', version: '1' });
    return true;
  };
});

afterEach(async () => {
  await service.close();
  rmSync(home.folder, { recursive: true, force: true });
});

/** A command of two requests. */
const twoRequests = (file: string) => home.cli(['state', 'get', 'a', '--token-file', file]);

it('a token read from a pipe is used for every request of a command', async () => {
  const pipe = path.join(home.folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', `printf first > '${pipe}'`]);
  expect(await twoRequests(pipe)).toMatchObject({ code: 0, stdout: expect.stringContaining('"n": 1') });
  expect(carried).toEqual(['Bearer first', 'Bearer first']);
  writer.kill();
});

it('a token that is replaced in its file is used for the next request', async () => {
  const file = path.join(home.folder, 'token');
  writeFileSync(file, 'first\n');
  answered = () => writeFileSync(file, 'second\n');
  expect((await twoRequests(file)).code).toBe(0);
  expect(carried).toEqual(['Bearer first', 'Bearer second']);
});

it('a file without a token is refused, and nothing is sent', async () => {
  const file = path.join(home.folder, 'token');
  writeFileSync(file, '\n');
  expect(await twoRequests(file)).toMatchObject({ code: 2, stderr: expect.stringContaining('it holds no token') });
  expect(carried).toEqual([]);
});
