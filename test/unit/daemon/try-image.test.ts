// The trial of an image for `actors check`: it gets what an execution would get, and ends when nobody waits for it.
import { describe, expect, it } from 'vitest';
import { type TrialInput, tryImage } from '../../../daemon/management/try-image.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createFakeExecutor } from '../../support/engine/fake-executor.ts';
import { createFakeWorld, type Script } from '../../support/engine/fake-world.ts';

const limits = { memoryBytes: 1, pids: 1, diskBytes: 1, nanoCpus: 1 };
const IMAGE = 'tried';

/** Runs a script as the image. */
const tried = async (
  script: Script,
  message: Pick<TrialInput, 'contentType' | 'body'>,
  signal = new AbortController().signal,
  stateful = false,
) => {
  const world = createFakeWorld();
  world.images.set(IMAGE, script);
  const deps = { executors: [createFakeExecutor(world)], ids: createIds(), limits };
  const report = await tryImage(
    deps,
    { image: IMAGE, ...message, environment: { A: '1' }, stateful, timeoutMs: 600_000 },
    signal,
  ).finally(() => expect(world.leftovers()).toEqual([]));
  return report;
};

const text = (message: string) => ({ contentType: 'str', body: Buffer.from(message) }) as const;

describe('the trial of an image', () => {
  it.each([
    ['a short message in MSG', 'hello'],
    ['a message of 200 KB in a file', 'x'.repeat(200_000)],
    ['a message with NUL in a file', 'a\0b'],
  ])('passes %s to the container', async (name, message) => {
    const { exitCode, log } = await tried(async ({ environment, files, out }) => {
      out(`${environment['A']} ${environment['MSG'] ?? files.get(environment['MSG_FILE'] ?? '')?.toString()}`);
      return name.endsWith('MSG') === (environment['MSG'] !== undefined) ? 0 : 1;
    }, text(message));
    expect([exitCode, log]).toEqual([0, `1 ${message}`.slice(0, 16 * 1024)]);
  });

  it('passes a binary message in a file, and the type of every message', async () => {
    const bytes = Buffer.from([0, 255, 254, 10]);
    const script: Script = async ({ environment, files, out }) => {
      out(`${environment['_svc_Content_Type']} ${environment['MSG']} `);
      out(files.get(environment['_svc_binary_data_FILE'] ?? '')?.toString('hex') ?? 'no file');
      return 0;
    };
    const binary = await tried(script, { contentType: 'application/octet-stream', body: bytes });
    expect(binary.log).toBe('application/octet-stream undefined 00fffe0a');
    const json = (value: string) => tried(script, { contentType: 'application/json', body: Buffer.from(value) });
    expect((await json('{}')).log).toBe('application/json {} no file');
    expect((await json('{"message":"hi"}')).log).toBe('str hi no file');
    await expect(json('{')).rejects.toThrow('The message is not JSON');
    expect((await tried(script, text(''))).log).toBe('str  no file');
  });

  it('gives a stateful actor an empty state, and says what of its files does not count', async () => {
    const script: Script = async ({ environment, returned, out }) => {
      out(`${environment['_svc_actor_state']} ${returned.state}\n`);
      returned.result = 'x'.repeat(131_073);
      if (returned.state !== undefined) returned.state = '{';
      return 0;
    };
    const signal = new AbortController().signal;
    const refused = '[The result in _svc_result_file is not stored: the file has more than 131072 bytes.]\n';
    expect((await tried(script, text('x'), signal, true)).log).toBe(
      `{} {}\n${refused}[The state in _svc_state_file is not stored: the file is not JSON.]\n`,
    );
    expect((await tried(script, text('x'), signal, false)).log).toBe(`undefined undefined\n${refused}`);
  });

  it('ends at once if it is cancelled while the container starts', async () => {
    const given = new AbortController();
    const script: Script = () => {
      given.abort();
      return new Promise(() => undefined);
    };
    expect(await tried(script, text('x'), given.signal)).toMatchObject({ exitCode: 137, timedOut: true });
  });
});
