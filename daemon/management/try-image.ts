// Runs an image once with a given message, outside any actor, for `actors check`. Leaves nothing behind.
import { RESULT_LIMIT } from '../../src/contract/actors/results.ts';
import { STATE_LIMIT } from '../../src/contract/actors/state.ts';
import type { Trial, TrialReport } from '../../src/contract/owner/images.ts';
import { asFile, BINARY, type Environment, isVariable } from '../domain/actors/environment.ts';
import { EMPTY_STATE } from '../domain/actors/state.ts';
import { messageOf } from '../domain/executions/message.ts';
import { complaintsOf, type Refused, stateFrom } from '../domain/executions/returned-files.ts';
import { executionWarnings } from '../domain/executions/run-warnings.ts';
import { Failure } from '../domain/failure.ts';
import type { Executor, RunLimits } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Output } from '../ports/runs/outputs.ts';

export type TrialInput = Trial & { readonly body: Uint8Array };

/** Maximum characters of output in the report. */
const LOG_LIMIT = 16 * 1024;

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('VALIDATION', `The message is not JSON: ${String(error)}`);
  }
};

/** The message as an execution gets it. @throws Failure VALIDATION if it is empty or not JSON */
const environmentOf = (asked: Pick<TrialInput, 'contentType' | 'body'>): Environment => {
  const text = Buffer.from(asked.body).toString('utf8');
  const { contentType, content } = messageOf(
    asked.contentType === 'application/octet-stream'
      ? { kind: 'binary', bytes: asked.body }
      : asked.contentType === 'application/json'
        ? { kind: 'json', text, value: jsonOf(text) }
        : { kind: 'text', text },
    undefined,
  );
  const type = { _svc_Content_Type: contentType };
  if (typeof content !== 'string') return { variables: type, files: [{ ...BINARY, source: { bytes: asked.body } }] };
  return isVariable('MSG', content)
    ? { variables: { ...type, MSG: content }, files: [] }
    : { variables: type, files: [asFile('MSG', content)] };
};

const fault = (output: Output | undefined): Refused | undefined => (output && 'fault' in output ? output : undefined);

/** Why an execution would not have stored what the run returned in its files, on lines of their own. */
const complaints = async (executor: Executor, ref: string): Promise<string> => {
  const limits = { resultBytes: RESULT_LIMIT, stateBytes: STATE_LIMIT };
  const { result, state } = (await executor.outputs?.(ref, limits)) ?? {};
  const next = state && 'bytes' in state ? stateFrom(state.bytes) : state;
  return complaintsOf({ result: fault(result), state: next && 'fault' in next ? next : undefined })
    .map((each) => `[${each}]\n`)
    .join('');
};

/**
 * Runs the image with the same isolation and limits as any other run.
 * @throws ExecutorError; Failure VALIDATION for a refused message
 */
export const tryImage = async (
  deps: { readonly executors: readonly Executor[]; readonly ids: Ids; readonly limits: RunLimits },
  { image, contentType, body, environment, stateful, timeoutMs }: TrialInput,
  signal: AbortSignal,
): Promise<TrialReport> => {
  const message = environmentOf({ contentType, body });
  const { MSG: _replaced, ...own } = environment;
  const executor = deps.executors.find((each) => each.takes(image));
  if (executor === undefined) throw new Failure('VALIDATION', `No executor here can run the image "${image}".`);
  await executor.prepare(image, () => undefined, signal);
  const workerId = deps.ids.id();
  const spec = {
    executionId: deps.ids.id(),
    actorId: deps.ids.id(),
    workerId,
    image,
    environment: {
      ...{ PYTHONUNBUFFERED: '1', ...own, ...(stateful && { _svc_actor_state: EMPTY_STATE }), ...message.variables },
    },
    files: message.files,
    outputs: stateful ? { state: EMPTY_STATE } : {},
    limits: deps.limits,
    privileged: false,
  };
  let log = '';
  let ref: string | undefined;
  try {
    const ofEngine: string[] = [];
    ref = await executor.create(spec, signal, (text) => ofEngine.push(text));
    const warnings = [...executionWarnings({}, await executor.means?.(), ofEngine)];
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
      log += await complaints(executor, ref);
      return {
        exitCode,
        timedOut,
        outOfMemory,
        outOfDisk,
        runtimeMs: Math.round(performance.now() - begun),
        log,
        warnings,
      };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  } finally {
    if (ref !== undefined) await executor.remove(ref);
    await executor.closeWorker(workerId);
  }
};
