// A webhook receiver in a separate process, so that the load of the test does not delay it. It prints a line for each
// request.
import { setTimeout as sleep } from 'node:timers/promises';
import { DELIVERY_HEADER, EVENT_HEADER } from '../../../src/contract/actors/deliveries.ts';
import type { Arrival } from './event-storm.ts';
import { startReceiver } from './receiver.ts';

/** Response delay of `/slow`, in ms. */
const SLOW_MS = 20;

const receiver = await startReceiver();
/** Unanswered requests by path, without those whose sender has disconnected. */
const open = new Map<string, number>();
let release = (): void => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});

// Any input on standard input releases `/held`.
process.stdin.once('data', () => release());
process.stdin.once('end', () => process.exit(0));

receiver.answer = async (response, { path, headers, body }, socket) => {
  const count = (step: number): number => {
    const now = (open.get(path) ?? 0) + step;
    open.set(path, now);
    return now;
  };
  const arrival: Arrival = {
    path,
    event: Number(headers[EVENT_HEADER]),
    delivery: String(headers[DELIVERY_HEADER]),
    actor: (JSON.parse(body) as { actor_id: string }).actor_id,
    atOnce: count(1),
  };
  response.once('close', () => count(-1));
  process.stdout.write(`${JSON.stringify(arrival)}\n`);
  if (path.startsWith('/held')) await released;
  if (path.startsWith('/slow')) await sleep(SLOW_MS);
  if (path.startsWith('/cut')) return socket.destroy();
  return response.writeHead(path.startsWith('/refuse') ? 500 : 200).end();
};
process.stdout.write(`${receiver.port}\n`);
