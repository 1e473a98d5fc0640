// Executions over HTTP: totals, records, halting, and logs as text and as a live stream. Over 250 lines, because the cases
// share their service.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

interface Event {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

const eventsOf = (text: string): Event[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => {
      const value = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      return { event: value('event') ?? '', id: value('id'), data: JSON.parse(value('data') ?? 'null') };
    });

const stream = (path: string, headers: Record<string, string> = {}) =>
  service.ask('ana', 'GET', path, { headers: { accept: 'text/event-stream', ...headers } });

const texts = (events: readonly Event[]): string =>
  events
    .filter(({ event }) => event === 'log')
    .map(({ data }) => data['text'])
    .join('');

describe('executions.list and executions.show', () => {
  it('return totals and records, oldest first, with ISO 8601 times', async () => {
    const id = await service.actor('ana');
    const [first, second] = [await service.message('ana', id), await service.message('ana', id)];
    await service.scheduler.start(first, 1_000);
    await service.scheduler.end(first, {
      finishedAt: 3_500,
      cpuNs: 7,
      ioBytes: 11,
      finalState: {
        Status: 'exited',
        StartedAt: '2026-11-21T09:01:40.223439429Z',
        FinishedAt: '0001-01-01T00:00:00Z',
        Pid: 0,
      },
      exitCode: 3,
    });
    const list = await service.ask('ana', 'GET', `/actors/v2/${id}/executions`);
    const receivedTimes = [first, second].map((execution) =>
      new Date(service.store.get('executions', execution)?.receivedAt ?? 0).toISOString(),
    );
    expect(list.result).toEqual({
      actorId: id,
      apiServer: service.baseUrl,
      owner: 'ana',
      executions: [
        {
          id: first,
          status: 'COMPLETE',
          reason: 'exited',
          exitCode: 3,
          messageReceivedTime: receivedTimes[0],
          startTime: '1970-01-01T00:00:01.000Z',
          finishTime: '1970-01-01T00:00:03.500Z',
        },
        { id: second, status: 'SUBMITTED', messageReceivedTime: receivedTimes[1], startTime: null, finishTime: null },
      ],
      totalExecutions: 2,
      totalCpu: 7,
      totalIo: 11,
      totalRuntime: 2,
      _links: { self: `${service.baseUrl}/actors/v2/${id}/executions`, owner: `${service.baseUrl}/profiles/v2/ana` },
    });
    const self = `${service.baseUrl}/actors/v2/${id}/executions/${first}`;
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/executions/${first}`)).result).toEqual({
      id: first,
      actorId: id,
      executor: 'ana',
      apiServer: service.baseUrl,
      status: 'COMPLETE',
      reason: 'exited',
      trigger: 'message',
      message: { type: 'text', text: 'hi' },
      variables: [],
      exitCode: 3,
      messageReceivedTime: receivedTimes[0],
      startTime: '1970-01-01T00:00:01.000Z',
      finishTime: '1970-01-01T00:00:03.500Z',
      workerId: 'W000000000001',
      finalState: {
        Status: 'exited',
        StartedAt: '2026-11-21T09:01:40.223Z',
        FinishedAt: '0001-01-01T00:00:00.000Z',
        Pid: 0,
      },
      cpu: 7,
      io: 11,
      runtime: 2,
      runtimeMs: 2_500,
      _links: { self, owner: `${service.baseUrl}/profiles/v2/ana`, logs: `${self}/logs` },
    });
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/executions/${second}`)).result).toMatchObject({
      status: 'SUBMITTED',
      runtime: 0,
    });
  });

  it('R122 find an execution below its own actor only', async () => {
    const [mine, other] = [await service.actor('ana'), await service.actor('ana')];
    const execution = await service.message('ana', other);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/logs'],
    ] as const) {
      const answer = await service.ask('ana', method, `/actors/v2/${mine}/executions/${execution}${path}`);
      expect(answer).toMatchObject({ status: 404, headers: { 'x-failure-code': 'NOT_FOUND' }, json: { result: null } });
    }
  });
});

describe('executions.halt', () => {
  it('passes the request to the engine and confirms it', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    await service.scheduler.start(execution, 1);
    const answer = await service.ask('ana', 'DELETE', `/actors/v2/${id}/executions/${execution}`);
    expect(answer).toMatchObject({
      status: 200,
      json: { result: null, message: expect.stringContaining(`Issued force quit command for execution ${execution}`) },
    });
    expect(service.store.get('executions', execution)).toMatchObject({ stopping: 'halted' });
  });

  it('refuses an execution that is not running, and names its status', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    const path = `/actors/v2/${id}/executions/${execution}`;
    expect(await service.ask('ana', 'DELETE', path)).toMatchObject({
      status: 409,
      headers: { 'x-failure-code': 'NOT_RUNNING' },
      json: { message: expect.stringContaining('SUBMITTED') },
    });
    await service.scheduler.start(execution, 1);
    await service.scheduler.end(execution, { finishedAt: 2 });
    expect((await service.ask('ana', 'DELETE', path)).json).toMatchObject({
      message: expect.stringContaining('COMPLETE'),
    });
  });
});

describe('executions.logs', () => {
  it('returns the log as text, which is empty at first', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    const self = `${service.baseUrl}/actors/v2/${id}/executions/${execution}`;
    const path = `/actors/v2/${id}/executions/${execution}/logs`;
    const _links = { self: `${self}/logs`, owner: `${service.baseUrl}/profiles/v2/ana`, execution: self };
    expect((await service.ask('ana', 'GET', path)).result).toEqual({ logs: '', _links });
    const log = service.logs.open(execution);
    log.write('stdout', Buffer.from('öut\n'));
    log.write('stderr', Buffer.from('err\n'));
    await log.close();
    expect((await service.ask('ana', 'GET', path)).result).toEqual({ logs: 'öut\nerr\n', _links });
  });

  it('that reached the size limit says how much it leaves out, in the log and in the execution', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    const path = `/actors/v2/${id}/executions/${execution}`;
    const shown = async () => ((await service.ask('ana', 'GET', path)).result as { logLeftOut?: unknown }).logLeftOut;
    await service.scheduler.start(execution, 1);
    const log = service.logs.open(execution);
    log.write('stdout', Buffer.from('x'.repeat(999_999)));
    expect(await shown()).toBeUndefined();
    log.write('stdout', Buffer.from('y'.repeat(1 + 256 * 1024 + 7)));
    expect(await shown()).toBeNull();
    await log.close();
    expect(await shown()).toBe(7);
    const found = await service.ask('ana', 'GET', `/actors/v2/executions/${execution}`);
    expect(found.result).toMatchObject({ logLeftOut: 7 });
    const { logs } = (await service.ask('ana', 'GET', `${path}/logs`)).result as { logs: string };
    expect(logs).toMatch(/^x{999999}y\n\[log size limit reached: .*\]\n\[7 bytes left out\]\ny{262144}$/);
  });

  it('streams from before the start to the end, and resumes after any line', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    const path = `/actors/v2/${id}/executions/${execution}/logs`;
    const whole = stream(path);
    await service.scheduler.start(execution, 1);
    const log = service.logs.open(execution);
    log.write('stdout', Buffer.from('one\n'));
    await new Promise((resolve) => setImmediate(resolve));
    log.write('stderr', Buffer.from('two\n'));
    await log.close();
    await service.scheduler.end(execution, { finishedAt: 2, exitCode: 7 });
    const answer = await whole;
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    const events = eventsOf(answer.text);
    expect(texts(events)).toBe('one\ntwo\n');
    expect(events.at(0)).toMatchObject({ event: 'log', data: { stream: 'stdout', cursor: events[0]?.id } });
    expect(events.at(-1)).toEqual({
      event: 'end',
      id: undefined,
      data: { status: 'COMPLETE', exitCode: 7, reason: 'exited' },
    });

    const again = eventsOf((await stream(path, { 'last-event-id': events[0]?.id ?? '' })).text);
    expect(texts(again)).toBe('two\n');
    const nothing = eventsOf((await stream(path, { 'last-event-id': events.at(-2)?.id ?? '' })).text);
    expect(nothing.map(({ event }) => event)).toEqual(['end']);
  });

  it('ends the stream of an execution whose message is purged', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    const waiting = stream(`/actors/v2/${id}/executions/${execution}/logs`);
    await service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`);
    expect(eventsOf((await waiting).text)).toEqual([{ event: 'end', id: undefined, data: { status: 'CANCELLED' } }]);
  });

  it('refuses an invalid cursor before the stream starts', async () => {
    const id = await service.actor('ana');
    const path = `/actors/v2/${id}/executions/${await service.message('ana', id)}/logs`;
    for (const cursor of ['-1', 'abc', '1e9', '9'.repeat(30)]) {
      expect(await stream(path, { 'last-event-id': cursor })).toMatchObject({ status: 400 });
    }
  });

  it('continues after a reader disconnects in the middle of a stream', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    await service.scheduler.start(execution, 1);
    const log = service.logs.open(execution);
    const { port } = new URL(service.baseUrl);
    const headers = { accept: 'text/event-stream', authorization: `Bearer ana-${'t'.repeat(32)}` };
    await new Promise<void>((resolve) => {
      const reading = request({ port, path: `/actors/v2/${id}/executions/${execution}/logs`, headers }, (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
      });
      reading.end();
      log.write('stdout', Buffer.from('first\n'));
    });
    log.write('stdout', Buffer.from('second\n'));
    await log.close();
    await service.scheduler.end(execution, { finishedAt: 2 });
    expect(await service.logs.read(execution)).toBe('first\nsecond\n');
    expect(service.complaints).toEqual([]);
  });
});
