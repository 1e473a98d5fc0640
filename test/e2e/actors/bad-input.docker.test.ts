// Faulty images and containers on the built daemon and a real engine: each fault is reported, limited, and does not
// affect other actors.
import { createHash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  reaches,
  register,
  scriptImage,
  send,
  show,
  until,
} from '../../support/daemon/daemon.ts';
import { dockerRequirement, flood, RUN_SCRIPT, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';
import { call } from '../../support/service/call.ts';

const MEBIBYTE = 1024 * 1024;
/** For tests that wait rather than work. */
const AT_ONCE = { concurrent: true };

describeIf(await dockerRequirement(), 'faulty images and containers', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  /**
   * An actor that runs the script in the variable SCRIPT: shared by all tests that need no other actor, because a
   * worker is expensive.
   */
  let shell: string;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
    const image = await images.script(RUN_SCRIPT);
    shell = await register(daemon, { image, senderVariables: ['LEVEL'], defaultEnvironment: { SCRIPT: 'env' } });
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  const actorReaches = async (actor: string, status: string): Promise<Readonly<Record<string, unknown>>> => {
    await until(async () => (await show(daemon, actor))['status'] === status);
    return show(daemon, actor);
  };
  const waiting = async (actor: string): Promise<unknown> =>
    (await daemon.ask('GET', `/actors/v2/${actor}/messages`)).result['messages'];
  const execute = async (image: string, body = 'hello', actor: Record<string, unknown> = {}) => {
    const id = await register(daemon, { image, ...actor });
    const execution = await send(daemon, id, { body });
    return { actor: id, execution };
  };
  /** Like `execute`, with a new actor that runs a script. */
  const executeScript = async (script: string, body = 'hello', actor: Record<string, unknown> = {}) =>
    execute(await images.script(RUN_SCRIPT), body, { ...actor, defaultEnvironment: { SCRIPT: script } });

  it(
    'an image that does not exist: the actor is in ERROR with the message of the engine, and the waiting message runs once the image is valid',
    AT_ONCE,
    async () => {
      const image = `127.0.0.1:1/actorctl-test/${randomBytes(6).toString('hex')}:latest`;
      const { actor, execution } = await execute(image);
      const { statusMessage } = await actorReaches(actor, 'ERROR');
      expect(statusMessage).toMatch(/connection refused/);
      expect(statusMessage).toContain(image);
      const later = await send(daemon, actor, { body: 'later' });
      expect(await waiting(actor)).toBe(2);
      expect(await show(daemon, actor, execution)).toMatchObject({ status: 'SUBMITTED' });
      const good = await images.script('echo "ran $MSG"');
      expect((await daemon.ask('PUT', `/actors/v2/${actor}`, { json: { image: good } })).status).toBe(200);
      for (const [id, text] of [
        [execution, 'ran hello\n'],
        [later, 'ran later\n'],
      ] as const) {
        expect(await reaches(daemon, actor, id)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
        expect(await logsOf(daemon, actor, id)).toBe(text);
      }
      expect(await show(daemon, actor)).toMatchObject({ status: 'READY', statusMessage: '' });
    },
  );

  it('an image without a command: the actor is in ERROR, and its message names the reason', AT_ONCE, async () => {
    const { actor, execution } = await execute(await images.empty());
    const { statusMessage } = await actorReaches(actor, 'ERROR');
    expect(statusMessage).toContain('has nothing to run');
    expect(await show(daemon, actor, execution)).toMatchObject({ status: 'SUBMITTED' });
  });

  it(
    'a container that can never start: the actor is in ERROR after one try, and the message waits',
    AT_ONCE,
    async () => {
      const { actor, execution } = await execute(await images.busybox(['/no/such/program']));
      const { statusMessage } = await actorReaches(actor, 'ERROR');
      expect(statusMessage).toContain('/no/such/program');
      expect(await waiting(actor)).toBe(1);
      expect(await show(daemon, actor, execution)).toMatchObject({ status: 'SUBMITTED' });
      expect(daemon.log().filter((line) => line['executionId'] === execution && line['level'] === 'warn').length).toBe(
        1,
      );
    },
  );

  it(
    'a log of 256 MB has its first and its last part, memory and disk stay limited, and the execution is COMPLETE',
    AT_ONCE,
    async () => {
      const before = daemon.memory();
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, daemon.memory());
      }, 50);
      const { actor, execution } = await executeScript(`${flood(256 * MEBIBYTE)}; echo end`);
      const ended = await reaches(daemon, actor, execution);
      clearInterval(watch);
      expect(ended).toMatchObject({ status: 'COMPLETE', exitCode: 0, reason: 'exited' });
      const log = await logsOf(daemon, actor, execution);
      expect(log.slice(0, 1_000_000)).toBe('x'.repeat(1_000_000));
      const leftOut = 256 * MEBIBYTE - 1_000_000 + 'end\n'.length - 256 * 1024;
      expect(ended).toMatchObject({ logLeftOut: leftOut });
      expect(log.replace(/x+/g, ({ length }) => `<${length}>`)).toMatch(
        new RegExp(`^<1000000>\\n\\[log size limit reached: .*\\]\\n\\[${leftOut} bytes left out\\]\\n<262140>end\\n$`),
      );
      expect((most - before) / MEBIBYTE).toBeLessThan(100);
      expect(statSync(join(daemon.dataDir, 'logs', `${execution}.ndjson`)).size).toBeLessThan(4 * MEBIBYTE);
    },
  );

  it(
    'a fork bomb is contained by the process limit, other actors continue, and its time limit ends it',
    AT_ONCE,
    async () => {
      const bomb = 'bomb() { bomb | bomb & }; bomb & exec sleep 1000';
      const { actor, execution } = await executeScript(bomb, 'x', { maxRunTime: 6 });
      await reaches(daemon, actor, execution, 'RUNNING');
      const other = await send(daemon, shell, { body: 'x' }, { SCRIPT: 'echo fine' });
      expect(await reaches(daemon, shell, other)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
      expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', reason: 'timed_out' });
    },
  );

  it('a container that ignores SIGTERM is killed ten seconds after a halt', AT_ONCE, async () => {
    const { actor, execution } = await executeScript("trap '' TERM; echo deaf; while true; do sleep 1; done");
    await until(async () => (await logsOf(daemon, actor, execution)).includes('deaf'));
    expect((await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${execution}`)).status).toBe(200);
    expect(await reaches(daemon, actor, execution)).toMatchObject({
      status: 'COMPLETE',
      reason: 'halted',
      exitCode: 137,
    });
    const again = await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${execution}`);
    expect(again.status).toBe(409);
  });

  it('R137 a container does not get variables sent with a nonce that make programs run other code', async () => {
    const { result } = await daemon.ask('POST', `/actors/v2/${shell}/nonces`, { json: {} });
    const names = ['MAKEFILES', 'WGETRC', 'GIT_CONFIG_COUNT', 'HOME', 'CDPATH', 'NODE_REDIRECT_WARNINGS', 'ENV'];
    const query = ['LEVEL', ...names].map((name) => `${name}=of-the-stranger`).join('&');
    const sent = await call(daemon.baseUrl(), 'POST', `/actors/v2/${shell}/messages?${query}&x-nonce=${result['id']}`, {
      form: { message: 'x' },
    });
    expect(sent.result['ignored_variables']).toEqual(names);
    const execution = String(sent.result['executionId']);
    expect(await reaches(daemon, shell, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect((await logsOf(daemon, shell, execution)).match(/^.*of-the-stranger.*$/gm)).toEqual([
      'LEVEL=of-the-stranger',
    ]);
  });

  it('a text of 1 MB is in MSG_FILE byte for byte', async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => `line ${n} – ünïcode ${randomBytes(12).toString('hex')}`)
      .join('\n')
      .slice(0, MEBIBYTE);
    const script =
      'if [ -z "$MSG" ]; then echo unset; fi; busybox sha256sum < "$MSG_FILE"; ls -l "$MSG_FILE"; echo x >> "$MSG_FILE" || echo refused';
    const execution = await send(daemon, shell, { body: text }, { SCRIPT: script });
    expect(await reaches(daemon, shell, execution)).toMatchObject({ status: 'COMPLETE' });
    const log = await logsOf(daemon, shell, execution);
    expect(log).toContain('unset');
    expect(log).toContain(createHash('sha256').update(text).digest('hex'));
    expect(log).toContain('-r--r--r--');
  });

  it('a binary message is in /_svc_binary_data byte for byte, and MSG is not set', async () => {
    const body = randomBytes(3 * MEBIBYTE);
    const script = 'if [ -z "$MSG" ]; then echo unset; fi; busybox sha256sum < /_svc_binary_data';
    const headers = { 'content-type': 'application/octet-stream' };
    const execution = await send(daemon, shell, { body, headers }, { SCRIPT: script });
    expect(await reaches(daemon, shell, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    const log = await logsOf(daemon, shell, execution);
    expect(log).toBe(`unset\n${createHash('sha256').update(body).digest('hex')}  -\n`);
  });

  it('a file: actor and containers work at the same time', async () => {
    const { actor, execution } = await execute(scriptImage(daemon, 'echo "plain $MSG"'));
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(await logsOf(daemon, actor, execution)).toBe('plain hello\n');
  });
});
