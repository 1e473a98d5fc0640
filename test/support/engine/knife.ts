// Fault injection: cuts a daemon off, as kill -9 would, at any call to its store, logs or engine.
import type { Executor } from '../../../daemon/ports/executor.ts';
import type { Logs, LogWriter } from '../../../daemon/ports/logs.ts';

/** Cuts a daemon off: after the cut none of its calls has an effect, and none returns. */
export interface Knife {
  /** Set it to cut. A cut is final. */
  cut: boolean;
  /** Resolves at the cut. */
  readonly severed: Promise<void>;
  /** The calls so far, each as `name` before its effect and as `name!` after it. */
  readonly crossed: string[];
  /** Calls that have started and have not taken effect yet. */
  readonly underWay: Set<Promise<unknown>>;
  /** Cuts when it returns true. Called before and after every call. */
  when: (crossing: string, index: number) => boolean;
}

/** A knife that cuts when `when` returns true. */
export const createKnife = (when: Knife['when']): Knife => {
  let isCut = false;
  let sever = (): void => undefined;
  const severed = new Promise<void>((resolve) => {
    sever = resolve;
  });
  return {
    get cut() {
      return isCut;
    },
    set cut(cut) {
      isCut = cut;
      if (cut) sever();
    },
    severed,
    crossed: [],
    underWay: new Set(),
    when,
  };
};

const never = new Promise<never>(() => undefined);

const cross = (knife: Knife, crossing: string): boolean => {
  if (!knife.cut) {
    knife.crossed.push(crossing);
    if (knife.when(crossing, knife.crossed.length)) knife.cut = true;
  }
  return knife.cut;
};

/** Wraps a port so that these asynchronous methods stop working at the cut. */
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

/** Wraps an executor. Its output and its results stop at the cut too. */
export const severableExecutor = (executor: Executor, knife: Knife): Executor => {
  const attached = (name: 'start' | 'reattach'): Executor['start'] => {
    const attach = severable(executor, knife, [name])[name];
    return async (ref, sink, halted) => {
      const running = await attach(ref, (stream, data) => knife.cut || sink(stream, data), halted);
      const ended = running.ended.then((value) => (cross(knife, 'ended') ? never : value));
      return { ...running, ended };
    };
  };
  const rest = ['probe', 'prepare', 'create', 'stop', 'remove', 'list', 'closeWorker', 'apiServer', 'outputs'] as const;
  return { ...severable(executor, knife, rest), start: attached('start'), reattach: attached('reattach') };
};

/** Wraps the logs. Writes after the cut are lost. */
export const severableLogs = (logs: Logs, knife: Knife): Logs => {
  const lost: LogWriter = { write: () => undefined, notice: () => undefined, close: () => never };
  const wrapped = (writer: LogWriter): LogWriter => ({
    write: (...piece) => void (knife.cut || writer.write(...piece)),
    notice: (text) => void (knife.cut || writer.notice(text)),
    close: severable(writer, knife, ['close']).close,
  });
  return {
    ...severable(logs, knife, ['delete']),
    open: (executionId) => (cross(knife, 'openLog') ? lost : wrapped(logs.open(executionId))),
    resume: async (executionId) => (cross(knife, 'resumeLog') ? lost : wrapped(await logs.resume(executionId))),
  };
};
