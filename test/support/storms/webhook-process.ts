// A receiver of webhooks in a process of its own, so that no load of the test delays it: a line for each request as it arrives.
import { setTimeout as sleep } from 'node:timers/promises';
import { DELIVERY_HEADER, EVENT_HEADER } from '../../../src/contract/actors/deliveries.ts';
import type { Arrival } from './event-storm.ts';
import { startReceiver } from './receiver.ts';

/** Answers of `/slow` take that long, in ms. */
const SLOW_MS = 20;

const receiver = await startReceiver();
/** Requests of a path that are not answered, and whose sender has not gone. */
const open = new Map<string, number>();
let release = (): void => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});

// What is said on standard input, whatever it is, lets `/held` go.
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
