// `webhooks listen`: receives webhooks on this machine, shows, forwards and saves them, and can simulate failures.
import path from 'node:path';
import { type Post, type Reply, receiveWebhooks } from '../../client/webhook-receiver.ts';
import type { CommandContext } from '../../context.ts';
import { parseExact } from '../../contract/exact-json.ts';
import { DELIVERY_HEADER, EVENT_HEADER, eventTypes } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { timeoutSignal } from '../../local/timeout-signal.ts';
import { makeFolder } from '../../local/user-files.ts';
import { OwnNames } from '../../ui/format/names.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { oneLine } from '../../ui/format/width.ts';
import { createNames } from '../framework/actor-names.ts';
import { command } from '../framework/command.ts';
import { duration, flag, integer, parsed, text, texts, type ValuesOf } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { eventGoalOf } from './event-goal.ts';
import { eventLine, type LineEvent, lineEventOf } from './event-view.ts';
import { forward, forwardUrl, headerOf, refuseOwnPort } from './webhook-forward.ts';
import { redirect, urlFor } from './webhook-redirect.ts';

const faultOptions = {
  status: integer('--status <code>', 'respond with this status: 500', { min: 200, max: 599 }),
  failRate: parsed(
    '--fail-rate <share>',
    'fraction of requests to fail, from 0 to 1 (with status 500 unless --status is given)',
    (value, name) => {
      const share = /^(?:0|1|0?\.\d{1,6}|1\.0{1,6}|0\.\d{1,6})$/.test(value) ? Number(value) : Number.NaN;
      if (share >= 0 && share <= 1) return share;
      throw usage(`${name} must be a number from 0 to 1, not "${value}"`);
    },
  ),
  drop: flag('--drop', 'close the connection without a response'),
  delay: duration('--delay <duration>', 'wait before each response: 3s'),
};

export type Faults = Pick<ValuesOf<typeof faultOptions>, 'status' | 'failRate' | 'drop'>;

/** @param dice random number from 0 to 1, 1 excluded */
export const faultOf = ({ status, failRate, drop }: Faults, dice: number): 'drop' | number | undefined => {
  const strikes = failRate === undefined ? drop || status !== undefined : dice < failRate;
  if (!strikes) return undefined;
  return drop ? 'drop' : (status ?? 500);
};

const listenOptions = {
  port: integer('--port <n>', 'port to listen on (default: any free port)', { min: 1, max: 65_535 }),
  bind: text('--bind <address>', 'address to listen on (default 127.0.0.1)'),
  url: text('--url <url>', 'with --actor: URL at which the service reaches this machine'),
  actor: texts('--actor <actor>', 'send the events of this actor here until the command ends, repeatable', 'actor'),
  forwardTo: text('--forward-to <url>', 'forward each request to this URL and return its response'),
  ...faultOptions,
  save: text('--save <folder>', 'save each body to a file in this folder', 'folders'),
  max: integer('--max <n>', 'exit after this many requests', { min: 1 }),
  exitOn: parsed(
    '--exit-on <goal>',
    'exit after the first event of this type, or for which this jq expression is true',
    (goal) => goal,
    { like: eventTypes },
  ),
  expect: parsed(
    '--expect <goal>',
    'exit code 11 if no event of this type, or for which this jq expression is true, was received',
    (goal) => goal,
    { like: eventTypes },
  ),
  timeout: duration('--timeout <duration>', 'exit after this time; the exit code is 8, or 0 or 11 with --expect'),
};

type ListenOptions = ValuesOf<typeof listenOptions>;

const answerer =
  (context: CommandContext, options: ListenOptions, to: URL | undefined) =>
  async (post: Post): Promise<Reply> => {
    try {
      if (options.delay !== undefined) await context.sleep(options.delay);
    } catch (error) {
      if (error instanceof CliFailure && error.code === 'CANCELLED') return 'drop';
      throw error;
    }
    const fault = faultOf(options, Math.random());
    if (fault !== undefined) return fault === 'drop' ? 'drop' : { status: fault };
    return to === undefined ? { status: 200 } : forward(context, to, post);
  };

const jsonOf = ({ body }: Post): unknown => {
  try {
    return parseExact(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Builds a file name that cannot leave the folder, whatever headers and body a sender chooses. */
const fileName = (count: number, event: LineEvent | undefined, delivery: string | undefined): string => {
  const parts = [String(count).padStart(6, '0'), event?.event_type, delivery].filter((part) => part !== undefined);
  return `${parts
    .join('-')
    .replaceAll(/[^\w-]/g, '_')
    .slice(0, 120)}.json`;
};

interface FormattedPost {
  /** A line for people. It contains no control characters except those of its colours. */
  readonly line: string;
  readonly value: unknown;
}

const formatPost = async (
  { output, serviceClock }: CommandContext,
  nameOf: (actorId: string) => Promise<string>,
  { post, reply, ms }: Arrival,
): Promise<FormattedPost> => {
  const value = jsonOf(post);
  const event = lineEventOf(value, headerOf(post, EVENT_HEADER) ?? '');
  const took = Math.round(ms);
  const answer = reply === 'drop' ? 'dropped' : String(reply.status);
  const actorName = event === undefined || output.machine ? '' : await nameOf(event.actor_id);
  const what =
    event === undefined
      ? `POST ${oneLine(post.path)}  ${post.body.byteLength} bytes, not an event`
      : eventLine(event, { actorName, tty: output.tty, paint: output.paint, now: serviceClock.now() });
  return {
    line: `${what}${output.tty ? ' ' : '\t'}-> ${answer} (${took} ms)`,
    value: {
      delivery: headerOf(post, DELIVERY_HEADER) ?? null,
      event: new OwnNames(value ?? null),
      response: { status: reply === 'drop' ? null : reply.status, ms: took },
    },
  };
};

interface Arrival {
  readonly post: Post;
  readonly reply: Reply;
  readonly ms: number;
}

/** A queue of requests. `all` yields them in order until the signal aborts. */
const createArrivals = (signal: AbortSignal) => {
  const waiting: Arrival[] = [];
  let wake = (): void => undefined;
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    add: (arrival: Arrival): void => {
      waiting.push(arrival);
      wake();
    },
    async *all(): AsyncGenerator<Arrival, void, void> {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (signal.aborted) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
};

/** Returns the exit code of the command. With `--expect` the exit code depends only on that condition. */
const endOf = (
  { expect, timeout }: ListenOptions,
  { met, timedOut, count }: { readonly met: boolean; readonly timedOut: boolean; readonly count: number },
): number => {
  const came = count === 1 ? 'received 1 webhook' : `received ${count} webhooks`;
  if (expect !== undefined && !met) {
    const details = { received: count };
    throw new CliFailure('EXECUTION_FAILED', `${came}, but none matched ${expect}`, { details });
  }
  if (expect !== undefined || !timedOut) return 0;
  throw new CliFailure('WAIT_TIMEOUT', `${came} in ${formatDuration(timeout ?? 0)}`, {
    hint: 'raise or remove --timeout',
    details: { received: count },
  });
};

export const webhooksListen = command({
  name: 'listen',
  summary: 'Receive webhooks on this machine',
  details: 'Shows each request, can forward and save it, and can simulate failures.',
  operations: ['actors.update', 'actors.show'],
  options: listenOptions,
  examples: [
    'actorctl webhooks listen --actor wordcount --forward-to http://127.0.0.1:3000/hook',
    'actorctl webhooks listen --port 9000 --fail-rate 0.2 --status 503 --delay 1s',
    "actorctl webhooks listen --actor wordcount --max 1 --expect '.exit_code == 0' --timeout 1m",
  ],
  run: async (context, _args, options) => {
    const { output, signal } = context;
    if (!output.allowFields(['delivery', 'event', 'response'])) return 0;
    const [exitOn, expected] = await Promise.all(
      [options.exitOn, options.expect].map((goal) => (goal === undefined ? undefined : eventGoalOf(goal))),
    );
    const to = forwardUrl(options.forwardTo);
    const actors = await Promise.all(options.actor.map((reference) => resolveActor(context, reference)));
    if (options.save !== undefined) await makeFolder(options.save, context.cwd);
    const timeout = timeoutSignal(options.timeout);
    const arrivals = createArrivals(AbortSignal.any([signal, timeout]));
    const receiver = await receiveWebhooks({
      port: options.port ?? 0,
      host: options.bind ?? '127.0.0.1',
      answer: answerer(context, options, to),
      answered: (post, reply, ms) => arrivals.add({ post, reply, ms }),
    });
    const nameOf = createNames(context);
    let [count, met] = [0, false];
    let undo = (): Promise<void> => Promise.resolve();
    try {
      const local = `http://${options.bind ?? '127.0.0.1'}:${receiver.port}/hook`;
      output.watchReader();
      output.note(`listening on ${local} (stop with Ctrl-C)`);
      if (to !== undefined) await refuseOwnPort(context, to, receiver);
      if (actors.length > 0) undo = await redirect(context, actors, await urlFor(context, options, receiver.port));
      for await (const arrival of arrivals.all()) {
        count += 1;
        const { line, value } = await formatPost(context, nameOf, arrival);
        await output.event('\n', value, line);
        const event = jsonOf(arrival.post);
        if (options.save !== undefined) {
          const name = fileName(count, lineEventOf(event, ''), headerOf(arrival.post, DELIVERY_HEADER));
          await context.write(path.resolve(context.cwd, options.save, name), arrival.post.body);
        }
        met ||= expected?.reached(event) === true;
        if (count === options.max || exitOn?.reached(event) === true) break;
      }
    } finally {
      await undo();
      await receiver.close();
    }
    return endOf(options, { met, timedOut: timeout.aborted && !signal.aborted, count });
  },
});
