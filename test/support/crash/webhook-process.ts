// A webhook receiver in a separate process, so that the load of the test does not delay it. It prints a line for each
// request.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DELIVERY_HEADER, EVENT_HEADER } from '../../../src/contract/actors/deliveries.ts';
import type { Arrival } from './event-crash-test.ts';
import { startReceiver } from './receiver.ts';

/** Response delay of `/slow`, in ms. */
const SLOW_MS = 20;

const receiver = await startReceiver();
/** Time (ms) in which the end of a connection arrives that its sender has closed. */
const CLOSE_MS = 2_000;
/** Unanswered requests by path, without those whose sender has disconnected. */
const open = new Map<string, Set<ServerResponse>>();

/**
 * The number of pending requests of a path, including this one. A sender that has disconnected may send the next
 * request, or be killed and started again, before this process has seen the end of the old connection. So it waits for
 * that end.
 */
const countAtOnce = async (path: string, response: ServerResponse): Promise<number> => {
  const unanswered = open.get(path) ?? new Set();
  const before = [...unanswered].filter(({ writableEnded }) => !writableEnded);
  open.set(path, unanswered.add(response));
  response.once('close', () => unanswered.delete(response));
  if (before.length === 0) return 1;
  await Promise.race([Promise.all(before.map((each) => once(each, 'close'))), sleep(CLOSE_MS)]);
  return 1 + before.filter((each) => unanswered.has(each) || each.writableEnded).length;
};

let release = (): void => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});

// Any input on standard input releases `/held`.
process.stdin.once('data', () => release());
process.stdin.once('end', () => process.exit(0));

receiver.answer = async (response, { path, headers, body }, socket) => {
  const atOnce = await countAtOnce(path, response);
  const arrival: Arrival = {
    path,
    event: Number(headers[EVENT_HEADER]),
    delivery: String(headers[DELIVERY_HEADER]),
    actor: (JSON.parse(body) as { actor_id: string }).actor_id,
    atOnce,
  };
  process.stdout.write(`${JSON.stringify(arrival)}\n`);
  if (path.startsWith('/held')) await released;
  if (path.startsWith('/slow')) await sleep(SLOW_MS);
  if (path.startsWith('/cut')) return socket.destroy();
  return response.writeHead(path.startsWith('/refuse') ? 500 : 200).end();
};
process.stdout.write(`${receiver.port}\n`);
