// Runs an image once with a given message, outside any actor, for `actors check`. Leaves nothing behind.
import { asFile, BINARY, type Environment, isVariable } from '../domain/actors/environment.ts';
import { Failure } from '../domain/failure.ts';
import type { MessageRecord } from '../domain/records/actor-records.ts';
import type { Executor, RunLimits } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';

export interface TrialInput {
  readonly image: string;
  readonly contentType: MessageRecord['contentType'];
  /** The message. */
  readonly body: Uint8Array;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds after which the run is killed. */
  readonly timeoutMs: number;
}

export interface TrialReport {
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
  readonly outOfDisk: boolean;
  readonly runtimeMs: number;
  /** Output of both streams, up to the limit. */
  readonly log: string;
}

/** Most characters of output in the report. */
const LOG_LIMIT = 16 * 1024;

/** The message as an execution gets it. */
const messageOf = ({ contentType, body }: Pick<TrialInput, 'contentType' | 'body'>): Environment => {
  if (contentType === 'application/octet-stream')
    return { variables: {}, files: [{ ...BINARY, source: { bytes: body } }] };
  const text = Buffer.from(body).toString('utf8');
  return isVariable('MSG', text)
    ? { variables: { MSG: text }, files: [] }
    : { variables: {}, files: [asFile('MSG', text)] };
};

/**
 * Runs the image once, with the same isolation and limits as any other run.
 * @throws ExecutorError image, start, unavailable; Failure VALIDATION when no executor can run the image
 */
export const tryImage = async (
  deps: { readonly executors: readonly Executor[]; readonly ids: Ids; readonly limits: RunLimits },
  { image, contentType, body, environment, timeoutMs }: TrialInput,
  signal: AbortSignal,
): Promise<TrialReport> => {
  const executor = deps.executors.find((each) => each.takes(image));
  if (executor === undefined) throw new Failure('VALIDATION', `No executor here can run the image "${image}".`);
  await executor.prepare(image, () => undefined, signal);
  const workerId = deps.ids.id();
  const message = messageOf({ contentType, body });
  const spec = {
    executionId: deps.ids.id(),
    actorId: deps.ids.id(),
    workerId,
    image,
    environment: {
      PYTHONUNBUFFERED: '1',
      ...environment,
      _svc_Content_Type: contentType,
      ...message.variables,
    },
    files: message.files,
    limits: deps.limits,
    privileged: false,
  };
  let log = '';
  let ref: string | undefined;
  try {
    ref = await executor.create(spec, signal);
    const begun = performance.now();
    const { ended } = await executor.start(ref, (_stream, data) => {
      if (log.length < LOG_LIMIT) log = (log + Buffer.from(data).toString('utf8')).slice(0, LOG_LIMIT);
    });
    let timedOut = false;
    const stop = (): void => {
      timedOut = true;
      // If the stop fails, the removal below kills the run.
      executor.stop(ref ?? '', 0).catch(() => undefined);
    };
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const { exitCode, outOfMemory, outOfDisk = false } = await ended;
      return { exitCode, timedOut, outOfMemory, outOfDisk, runtimeMs: Math.round(performance.now() - begun), log };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  } finally {
    if (ref !== undefined) await executor.remove(ref);
    await executor.closeWorker(workerId);
  }
};
