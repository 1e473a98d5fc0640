// Invalid input to the built daemon: each request gets an error, and none does harm. Needs no container engine.
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { call } from '../../support/service/call.ts';

const MEBIBYTE = 1024 * 1024;

describe('bad input to the built daemon', () => {
  let daemon: BuiltDaemon;
  beforeAll(async () => {
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
  });
  afterAll(() => daemon.remove());

  const actors = async () => (await daemon.ask('GET', '/actors/v2')).json;

  it('malformed JSON in a registration gives 400 with the reason, and registers no actor', async () => {
    const before = await actors();
    const answer = await daemon.ask('POST', '/actors/v2', {
      body: '{"image": "x"',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 400, json: { status: 'error', result: null } });
    expect(answer.headers['x-failure-code']).toBe('MALFORMED_BODY');
    expect(await actors()).toEqual(before);
  });

  it('malformed JSON as a message gives 400, and queues nothing', async () => {
    const actor = await register(daemon, { image: scriptImage(daemon, 'true') });
    const answer = await daemon.ask('POST', `/actors/v2/${actor}/messages`, {
      body: '{"a": }',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(400);
    expect((await daemon.ask('GET', `/actors/v2/${actor}/executions`)).result['executions']).toEqual([]);
  });

  it('a missing image gives 400 with a message that names the field, for JSON and for a form', async () => {
    for (const asked of [{ json: { name: 'x' } }, { form: { name: 'x' } }]) {
      const { status, json } = await daemon.ask('POST', '/actors/v2', asked);
      expect(status).toBe(400);
      expect(json).toMatchObject({ message: expect.stringContaining('image') });
    }
  });

  it('unknown fields are ignored and not stored', async () => {
    const { status, result } = await daemon.ask('POST', '/actors/v2', {
      json: { image: scriptImage(daemon, 'true'), nonsense: 1, owner: 'somebody', status: 'ERROR', id: 'mine' },
    });
    expect(status).toBe(200);
    expect(result).toMatchObject({ owner: 'dev', status: 'SUBMITTED' });
    expect(result).not.toHaveProperty('nonsense');
    expect(result['id']).not.toBe('mine');
  });

  it.each(['with a Content-Length', 'in chunks'])('a body of 100 MB, %s, is 413 and uses no memory', async (how) => {
    const actor = await register(daemon, { image: scriptImage(daemon, 'true') });
    const before = daemon.memory();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, daemon.memory());
    }, 5);
    const piece = Buffer.alloc(MEBIBYTE, 'x');
    const hundred = function* () {
      for (let n = 0; n < 100; n += 1) yield piece;
    };
    const length = how.startsWith('with') ? { 'content-length': 100 * MEBIBYTE } : {};
    const answer = await daemon.ask('POST', `/actors/v2/${actor}/messages`, {
      body: Readable.from(hundred()),
      headers: { 'content-type': 'application/octet-stream', ...length },
    });
    clearInterval(watch);
    expect(answer.status).toBe(413);
    expect(answer.headers['x-failure-code']).toBe('PAYLOAD_TOO_LARGE');
    expect((most - before) / MEBIBYTE).toBeLessThan(50);
    expect((await daemon.ask('GET', `/actors/v2/${actor}/messages`)).result['messages']).toBe(0);
    expect((await call(daemon.baseUrl(), 'GET', '/healthz')).status).toBe(200);
  });

  it('a client that disconnects during a log stream leaves no open handle, 200 times', async () => {
    const actor = await register(daemon, { image: scriptImage(daemon, 'echo here; exec sleep 600') });
    const execution = await send(daemon, actor);
    await until(async () => (await logsOf(daemon, actor, execution)).includes('here'));
    const token = await daemon.admit();
    const path = `/actors/v2/${actor}/executions/${execution}/logs`;
    const listenAndLeave = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
        const request = httpRequest(new URL(path, daemon.baseUrl()), { headers, agent: false }, (response) => {
          response.once('data', () => {
            request.destroy();
            resolve();
          });
          response.on('error', () => undefined);
        });
        request.on('error', reject);
        request.end();
      });
    const own = () => daemon.handles().filter((handle) => !handle.startsWith('anon_inode')).length;
    await listenAndLeave();
    await until(() => !daemon.handles().some((handle) => handle.endsWith(`${execution}.ndjson (deleted)`)));
    const before = own();
    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 10 }, listenAndLeave));
    await until(() => own() <= before);
    expect(await show(daemon, actor, execution)).toMatchObject({ status: 'RUNNING' });
    expect((await daemon.ask('DELETE', `/actors/v2/${actor}/executions/${execution}`)).status).toBe(200);
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
  });

  it('executions start and are listed in the order of their messages', async () => {
    const actor = await register(daemon, { image: scriptImage(daemon, 'echo $MSG'), stateless: false });
    const sent: string[] = [];
    for (let n = 0; n < 8; n += 1) sent.push(await send(daemon, actor, { body: String(n) }));
    await reaches(daemon, actor, sent.at(-1) ?? '');
    const rows = (await daemon.ask('GET', `/actors/v2/${actor}/executions`)).result['executions'] as {
      id: string;
      startTime: string;
      finishTime: string;
    }[];
    expect(rows.map(({ id }) => id)).toEqual(sent);
    const times = rows.flatMap(({ startTime, finishTime }) => [startTime, finishTime]);
    expect(times).toEqual([...times].sort());
  });
});
