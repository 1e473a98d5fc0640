// The reach test: a short container finds out whether containers reach the API and can return results.
import { isIPv4 } from 'node:net';
import type { ReachReport } from '../../../src/contract/owner/daemon.ts';
import type { Builder } from '../../ports/builder.ts';
import type { Executor, RunLimits } from '../../ports/executor.ts';
import { INPUT_FILE, reachInput, SENT, type Step, stepsIn } from './program.ts';

/** Time for a container to do everything. A connection to nowhere takes minutes. */
const RUN_MS = 10_000;
/** The listener of containers asks for the token of an execution, whatever is requested. */
const CHALLENGE = 'realm="actorctl"';
const HTTP_PORT = 80;
const OUTPUT_LIMIT = 64 * 1024;

/** Error numbers of Linux on all processors. */
const ERRORS: Readonly<Record<number, string>> = {
  1: 'the operation is not permitted',
  2: 'it is not there',
  13: 'permission denied',
  101: 'the network is unreachable',
  111: 'the connection is refused',
  113: 'there is no route to it',
};
const faultOf = (result: number | undefined): string =>
  result === undefined
    ? `no response within ${RUN_MS / 1000} seconds`
    : (ERRORS[-result] ?? (result < 0 ? `error ${-result} of Linux` : 'nothing has arrived'));

/** The IPv4 address of a name in the text of an `/etc/hosts`. */
const addressIn = (hosts: string, name: string): string | undefined =>
  hosts
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([address = '', ...names]) => isIPv4(address) && names.includes(name))?.[0];

interface Outcome {
  readonly output: string;
  readonly steps: Readonly<Partial<Record<Step, number>>>;
  readonly isSent: boolean;
  readonly isSaved: boolean;
}

export const createReach = (inputs: {
  readonly containers: Executor;
  readonly images: Pick<Builder, 'reachImage'>;
  readonly limits: RunLimits;
  readonly newId: () => string;
}) => {
  const { containers, images, limits, newId } = inputs;
  /** Executions of running tests, with what arrived at their sockets. */
  const received = new Map<string, string>();

  const run = async (image: string, input: Uint8Array, signal: AbortSignal): Promise<Outcome> => {
    const [executionId, workerId] = [newId(), newId()];
    const texts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let ref: string | undefined;
    received.set(executionId, '');
    try {
      const files = [{ path: INPUT_FILE, variable: '_reach', source: { bytes: input } }];
      const spec = { executionId, workerId, image, files, limits, actorId: newId(), environment: {}, outputs: {} };
      ref = await containers.create({ ...spec, privileged: false }, signal);
      const running = await containers.start(ref, (stream, data) => texts[stream].push(Buffer.from(data)));
      const stop = (): void => void containers.stop(ref ?? '', 0).catch(() => undefined);
      const timer = setTimeout(stop, RUN_MS);
      signal.addEventListener('abort', stop, { once: true });
      try {
        await running.ended;
        await running.settled;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
      const { result } =
        (await containers.outputs?.(ref, { resultBytes: OUTPUT_LIMIT, stateBytes: OUTPUT_LIMIT })) ?? {};
      return {
        output: Buffer.concat(texts.stdout).toString(),
        steps: stepsIn(Buffer.concat(texts.stderr)),
        isSent: received.get(executionId) === SENT,
        isSaved: result !== undefined && 'bytes' in result && Buffer.from(result.bytes).toString() === SENT,
      };
    } finally {
      received.delete(executionId);
      if (ref !== undefined) await containers.remove(ref);
      await containers.closeWorker(workerId);
    }
  };

  const reachApi = async (image: string, url: URL | undefined, signal: AbortSignal): Promise<Outcome> => {
    if (url === undefined) return run(image, reachInput(undefined, ''), signal);
    const { hostname, host, port } = url;
    const request = `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    const to = (address: string) => reachInput({ address, port: Number(port || HTTP_PORT) }, request);
    if (isIPv4(hostname)) return run(image, to(hostname), signal);
    // The engine knows the address of a name like host.docker.internal, and writes it into the container's files.
    const first = await run(image, reachInput(undefined, ''), signal);
    const address = addressIn(first.output, hostname);
    return address === undefined ? first : run(image, to(address), signal);
  };

  return {
    /** Takes what the container of a test sends. False if the execution is not one of a test. */
    receive: (executionId: string, bytes: Uint8Array): boolean => {
      if (!received.has(executionId)) return false;
      received.set(executionId, Buffer.from(bytes).toString());
      return true;
    },
    /** @throws ExecutorError */
    test: async (signal: AbortSignal): Promise<ReachReport> => {
      const image = await images.reachImage();
      if (image === undefined)
        return { untried: 'there is no test program for the processor of this engine', ways: [] };
      await containers.prepare(image, () => undefined, signal);
      const [address, means] = [await containers.apiServer('modern'), await containers.means?.()];
      const { output, steps, isSent, isSaved } = await reachApi(image, address ? new URL(address) : undefined, signal);
      const api = output.includes(CHALLENGE) ? {} : { fault: faultOf(steps.connected) };
      const [socket, file] = [
        isSent ? {} : { fault: faultOf(steps.sent) },
        isSaved ? {} : { fault: faultOf((steps.file ?? 0) < 0 ? steps.file : steps.saved) },
      ];
      return {
        ...(address !== undefined && { address }),
        ways: [
          { way: 'api', ...(address === undefined ? { fault: 'the engine has no way to this machine' } : api) },
          ...(means?.hasResultSocket
            ? [
                { way: 'socket' as const, ...socket },
                { way: 'file' as const, ...file },
              ]
            : []),
        ],
      };
    },
  };
};
