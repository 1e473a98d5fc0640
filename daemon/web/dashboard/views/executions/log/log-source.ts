// The log of an execution as it arrives.
import { signal } from '@preact/signals';
import { follow } from '../../../api/event-stream.ts';
import { formatFailure } from '../../../api/failure.ts';
import { addressOf } from '../../../api/routes.ts';
import { createLogLines } from './log-lines.ts';

/** Time (ms) in which lines that arrive are shown together. */
const TOGETHER_MS = 50;

export const createLog = (actorId: string, executionId: string) => {
  const log = createLogLines();
  const count = signal(0);
  const ended = signal(false);
  const problem = signal<string | undefined>(undefined);
  /** Changes whenever lines change. */
  const version = signal(0);
  let scheduled = false;
  const publish = (): void => {
    scheduled = false;
    count.value = log.lines.length;
    version.value += 1;
  };
  const controller = new AbortController();
  const run = (): (() => void) => {
    const address = () => addressOf('GET /actors/v2/:actorId/executions/:executionId/logs', { actorId, executionId });
    follow({
      address,
      signal: controller.signal,
      onMessage: ({ name, data }) => {
        if (name === 'end') {
          ended.value = true;
          publish();
          return true;
        }
        if (name === 'log') {
          const { stream, time, text } = JSON.parse(data) as { stream: string; time: string; text: string };
          log.add(stream, time, text);
          if (!scheduled) {
            scheduled = true;
            setTimeout(publish, TOGETHER_MS);
          }
        }
        return undefined;
      },
    }).catch((error: unknown) => {
      problem.value = formatFailure(error);
    });
    return () => controller.abort();
  };
  return { lines: log.lines, count, version, ended, problem, run };
};
