// Sends the daemon's requests to the runner and follows its runs, even after the connection was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, ExecutorError, type LogSink, type Running } from '../../ports/executor.ts';
import { createResumableSink, type ResumableSink } from '../resumable-sink.ts';
import { type Answer, type Order, writeValue } from '../runner/protocol.ts';
import { type Connection, createRunnerDial, type Pending, type RunnerOptions, unavailable } from './runner-dial.ts';

export interface RunnerLink {
  reach(): Promise<boolean>;
  isConnected(): boolean;
  ensureRunner(): Promise<void>;
  /** @param order the request, or a function that makes it for the runner with this process id */
  request(order: Order | ((runner: number) => Order), timeoutMs?: number): Promise<Answer>;
  /** Starts or reattaches a run and follows it. @throws ExecutorError start, lost, unavailable */
  follow(op: 'start' | 'attach', ref: string, sink: LogSink): Promise<Running>;
  /** Closes the connection. Promises of followed runs then never resolve. */
  close(): void;
}

const ANSWER_MS = 10_000;
const RETRY_MS = 1000;

export const createRunnerLink = (options: RunnerOptions): RunnerLink => {
  const dial = createRunnerDial(options);
  let nextId = 1;

  const send = (to: Connection, order: Order, pending: Pending): number => {
    const id = nextId;
    nextId += 1;
    to.pending.set(id, pending);
    writeValue(to.socket, { ...order, id });
    return id;
  };

  const request: RunnerLink['request'] = async (asked, timeoutMs = ANSWER_MS) => {
    const to = await dial.connection();
    const order = typeof asked === 'function' ? asked(to.pid) : asked;
    return await new Promise<Answer>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        to.pending.delete(id);
        act();
      };
      const timer = setTimeout(() => settle(() => reject(unavailable(`did not answer to "${order.op}"`))), timeoutMs);
      const id = send(to, order, {
        answered: (answer) => settle(() => resolve(answer)),
        refused: (error) => settle(() => reject(error)),
        lost: () => settle(() => reject(unavailable(`disconnected during "${order.op}"`))),
      });
    });
  };

  /** Follows a run over one connection. If the connection is lost later, it reattaches over a new one. */
  const followOnce = async (op: 'start' | 'attach', ref: string, sink: ResumableSink): Promise<Running> => {
    const to = await dial.connection();
    const write = sink.forNextSource();
    return await new Promise<Running>((resolve, reject) => {
      let end: (ended: Ended | Promise<Ended>) => void = () => undefined;
      const ended = new Promise<Ended>((settle) => {
        end = settle;
      });
      let answered = false;
      const timer = setTimeout(() => {
        to.pending.delete(id);
        reject(unavailable(`did not answer to "${op}"`));
      }, ANSWER_MS);
      const id = send(
        to,
        { op, ref },
        {
          answered: ({ startedAt = 0 }) => {
            clearTimeout(timer);
            answered = true;
            // A rejection that no caller awaits must not end the daemon.
            ended.catch(() => undefined);
            resolve({ startedAt, ended });
          },
          refused: (error) => {
            clearTimeout(timer);
            to.pending.delete(id);
            reject(error);
          },
          output: write,
          ended: (known) => {
            to.pending.delete(id);
            end(known);
          },
          lost: () => {
            clearTimeout(timer);
            if (!answered) reject(unavailable(`disconnected during "${op}"`));
            else if (!dial.closed()) end(resume(ref, sink));
          },
        },
      );
    });
  };

  /** Follows a run after the connection was lost. A run that ended together with its runner is `lost`. */
  const resume = async (ref: string, sink: ResumableSink): Promise<Ended> => {
    for (;;) {
      try {
        return await (await followOnce('attach', ref, sink)).ended;
      } catch (error) {
        if (dial.closed() || !(error instanceof ExecutorError) || error.kind !== 'unavailable') throw error;
        options.logger.warn({ ref, reason: error.message }, 'the runner is unavailable; trying again');
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  };

  return {
    reach: async () => (await dial.reach()) !== undefined,
    isConnected: dial.isConnected,
    ensureRunner: async () => {
      await dial.connection();
    },
    request,
    follow: (op, ref, sink) => followOnce(op, ref, createResumableSink(sink)),
    close: () => dial.close(),
  };
};
