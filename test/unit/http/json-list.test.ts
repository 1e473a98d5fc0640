// A list that is read while the response is sent: the same bytes as a whole list, in slices between other work.
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import { answer, plainForm } from '../../../daemon/http/response/answer.ts';
import { JsonList, JsonText, jsonPieces } from '../../../daemon/http/response/json-text.ts';
import { createTable, rules } from '../../../daemon/store/record-table.ts';
import { createReader } from '../../../daemon/store/table/reader.ts';
import { executionRecord } from '../../support/service/records.ts';

const { signal } = new AbortController();
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n, text: `line\nä${'x'.repeat(90)}`, a: [n] }));

const whole = async (value: unknown, pretty = false): Promise<string> => {
  let text = '';
  for (const piece of jsonPieces(value, pretty)) {
    if (typeof piece === 'string') text += piece;
    else for await (const part of piece) text += part;
  }
  return text;
};

describe('the JSON of a list', () => {
  it.each([0, 1, 2, 1_000])(
    'with %i elements equals the bytes of an unsliced list, indented or not, at any depth',
    async (count) => {
      const elements = rows(count);
      const list = () => new JsonList(elements, signal);
      for (const pretty of [false, true]) {
        const expected = (value: unknown) => (pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value));
        expect(await whole(list(), pretty)).toBe(expected(elements));
        expect(await whole({ a: 1, in: { rows: list(), z: [list()] }, b: 2 }, pretty)).toBe(
          expected({ a: 1, in: { rows: elements, z: [elements] }, b: 2 }),
        );
      }
    },
  );

  it('keeps JSON text in its elements, and null for undefined', async () => {
    expect(await whole(new JsonList([new JsonText('1e400'), undefined], signal))).toBe('[1e400,null]');
  });

  it('is one text if it is short', () => {
    expect(jsonPieces({ a: new JsonList(rows(3), signal) }, false)).toHaveLength(1);
  });

  it('leaves out records that were deleted while it was sent', async () => {
    const table = createTable(rules.executions);
    const ids = Array.from({ length: 1_000 }, (_, n) => `E${n}`);
    for (const [order, id] of ids.entries()) table.set(id, { order, record: executionRecord(id, { actorId: 'a' }) });
    const reader = createReader<ExecutionRecord>({ ...table, get: (id) => table.get(id)?.record });
    const [, first, rest] = jsonPieces(new JsonList(reader.each('actor', 'a'), signal), false);
    for (const id of ids) table.remove(id);
    let text = String(first);
    for await (const part of rest as AsyncIterable<string>) text += part;
    const sent: { id: string }[] = JSON.parse(text);
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.map(({ id }) => id)).toEqual(ids.slice(0, sent.length));
    expect(sent.length).toBeLessThan(ids.length / 2);
  });
});

/** Rows without end, or until they fail. Counts those that were read. */
const source = (failsAt = Number.POSITIVE_INFINITY) => {
  const seen = { read: 0, mostInTurn: 0, ended: false };
  const read = function* () {
    let inTurn = 0;
    try {
      for (; ; seen.read += 1) {
        if (seen.read === failsAt) throw new Error('the record is damaged');
        if (inTurn === 0) {
          void turn().then(() => {
            inTurn = 0;
          });
        }
        inTurn += 1;
        seen.mostInTurn = Math.max(seen.mostInTurn, inTurn);
        yield { n: seen.read, text: 'x'.repeat(100) };
      }
    } finally {
      seen.ended = true;
    }
  };
  return { seen, read };
};

/** Serves one list, and gives the response of a GET or HEAD to it. */
const serve = async (
  list: JsonList<unknown>,
  method = 'GET',
  sent = (_response: ServerResponse): void => undefined,
) => {
  const server = createServer((request, response) => {
    answer(request, response, plainForm, 'Retrieved.', { list });
    sent(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', method, agent: false }, resolve).on('error', reject);
  });
  response.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  return { response, closed, close: () => new Promise((resolve) => server.close(resolve)) };
};

describe('a response with a long list', () => {
  it('is read in slices, and ends in the middle if a record cannot be read', async () => {
    const { seen, read } = source(20_000);
    const { response, closed, close } = await serve(new JsonList(read(), signal));
    response.resume();
    await closed;
    expect([response.statusCode, response.complete, seen.read]).toEqual([200, false, 20_000]);
    // Each row has 113 to 120 characters, and a slice 16 384.
    expect(seen.mostInTurn).toBeLessThan(160);
    await close();
  });

  it('is read as fast as the client reads, and no further after the client has gone', async () => {
    const { seen, read } = source();
    const { response, close } = await serve(new JsonList(read(), signal));
    response.pause();
    let before = -1;
    let same = 0;
    while (same < 200) {
      same = seen.read === before ? same + 1 : 0;
      before = seen.read;
      await turn();
    }
    // All other buffers are full.
    response.resume();
    await new Promise((resolve) => response.once('data', resolve));
    while (seen.read === before) await turn();
    response.destroy();
    while (!seen.ended) await turn();
    const atEnd = seen.read;
    await close();
    expect(seen.read).toBe(atEnd);
  });

  it('does not exceed the event listener limit', async () => {
    let listeners = Number.POSITIVE_INFINITY;
    const { response, closed, close } = await serve(new JsonList(rows(1_000), signal), 'GET', (sent) => {
      listeners = sent.listenerCount('close');
    });
    response.resume();
    await closed;
    // Node warns of more than 10. The exchange, its probe, the gate and the limit of connections have one each.
    expect(listeners).toBeLessThanOrEqual(5);
    await close();
  });

  it('ends in the middle when the daemon stops', async () => {
    const stopping = new AbortController();
    const { response, closed, close } = await serve(new JsonList(source().read(), stopping.signal));
    response.once('data', () => stopping.abort(new Error('the daemon is stopping')));
    response.resume();
    await closed;
    expect(response.complete).toBe(false);
    await close();
  });

  it('to HEAD reads no more than the first slice', async () => {
    const { seen, read } = source();
    const { response, closed, close } = await serve(new JsonList(read(), signal), 'HEAD');
    response.resume();
    await closed;
    expect([response.statusCode, response.complete]).toEqual([200, true]);
    expect(seen.read).toBeLessThan(160);
    await close();
  });
});
