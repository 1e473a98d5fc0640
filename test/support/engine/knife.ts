// A knife for a daemon: cuts it off, as kill -9 would, at any call that crosses the wall to its store, logs or engine.
import type { Executor } from '../../../daemon/ports/executor.ts';
import type { Logs } from '../../../daemon/ports/logs.ts';

/** Kills a daemon: from the cut on none of its calls has an effect, and none returns. */
export interface Knife {
  cut: boolean;
  /** Calls that crossed the wall so far, each as `name` before it has an effect and `name!` after. */
  readonly crossed: string[];
  /** Calls that crossed and have not had their effect. */
  readonly underWay: Set<Promise<unknown>>;
  /** Cuts when it answers true; asked at every crossing. */
  when: (crossing: string, index: number) => boolean;
}

const never = new Promise<never>(() => undefined);

const cross = (knife: Knife, crossing: string): boolean => {
  if (!knife.cut) {
    knife.crossed.push(crossing);
    if (knife.when(crossing, knife.crossed.length)) knife.cut = true;
  }
  return knife.cut;
};

/** The port as a daemon under the knife sees it: these asynchronous methods stop working at the cut. */
export const severable = <P extends object, M extends keyof P & string>(
  port: P,
  knife: Knife,
  methods: readonly M[],
): P => {
  const severed: Partial<P> = {};
  for (const name of methods) {
    const method = port[name] as (...given: unknown[]) => Promise<unknown>;
    const wrapped = (...given: unknown[]): Promise<unknown> => {
      if (cross(knife, name)) return never;
      const call = method(...given);
      const done = () => void knife.underWay.delete(call);
      knife.underWay.add(call);
      call.then(done, done);
      return call.then((value) => (cross(knife, `${name}!`) ? never : value));
    };
    severed[name] = wrapped as P[M];
  }
  return { ...port, ...severed };
};

/** The executor under the knife: its output and its ends stop at the cut too. */
export const severableExecutor = (executor: Executor, knife: Knife): Executor => {
  const attached = (name: 'start' | 'reattach'): Executor['start'] => {
    const attach = severable(executor, knife, [name])[name];
    return async (ref, sink) => {
      const running = await attach(ref, (stream, data) => knife.cut || sink(stream, data));
      const ended = running.ended.then((value) => (cross(knife, 'ended') ? never : value));
      return { ...running, ended };
    };
  };
  const rest = ['probe', 'prepare', 'create', 'stop', 'remove', 'list', 'closeWorker', 'apiServer'] as const;
  return { ...severable(executor, knife, rest), start: attached('start'), reattach: attached('reattach') };
};

/** The logs under the knife: what is written after the cut is lost. */
export const severableLogs = (logs: Logs, knife: Knife): Logs => ({
  ...severable(logs, knife, ['delete']),
  open(executionId) {
    if (cross(knife, 'openLog')) return { write: () => undefined, notice: () => undefined, close: () => never };
    const writer = logs.open(executionId);
    return {
      write: (stream, data) => void (knife.cut || writer.write(stream, data)),
      notice: (text) => void (knife.cut || writer.notice(text)),
      close: severable(writer, knife, ['close']).close,
    };
  },
});
