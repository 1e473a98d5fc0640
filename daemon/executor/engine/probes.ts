// Tracks whether the container engine responds, and where it was found.
import type { EngineStatus } from '../../ports/executor.ts';
import { type Answer, candidates, type EndpointInputs, findEngine, pingEngine, probeEngine } from './discovery.ts';
import { engineMessage } from './engine-error.ts';

const FRESH_MS = 1000;
/** Time (ms) between two probes while the engine does not respond. */
export const AGAIN_MS = 1000;

/** Probes the known engine, or searches for one. */
const dial = async (
  where: EndpointInputs,
  { answer, status }: { readonly answer: Answer | undefined; readonly status: EngineStatus | undefined },
  signal: AbortSignal,
): Promise<Answer | { readonly reason: string }> => {
  if (!answer) {
    const found = await findEngine(await candidates(where), signal);
    return 'reason' in found ? found : found.answer;
  }
  if (!status?.available) return probeEngine(answer.endpoint, signal);
  await pingEngine(answer.endpoint, signal);
  return answer;
};

/** Probes the engine on request, and every second while it does not respond. */
export const createProbes = (
  where: EndpointInputs,
  closing: AbortSignal,
  onProbed: (next: EngineStatus, before: EngineStatus | undefined) => void,
) => {
  let answer: Answer | undefined;
  let status: EngineStatus | undefined;
  let probedAt = Number.NEGATIVE_INFINITY;
  let probing: Promise<EngineStatus> | undefined;
  let again: NodeJS.Timeout | undefined;

  const probe = async (): Promise<EngineStatus> => {
    try {
      const next = await dial(where, { answer, status }, closing);
      if ('reason' in next) return { available: false, reason: next.reason };
      answer = next;
      const { product, address, apiVersion } = next;
      return { available: true, description: `${product.name} ${product.version}`, endpoint: address, apiVersion };
    } catch (error) {
      const reason = `the container engine at ${answer?.address ?? 'its address'} no longer answers: ${engineMessage(error)}`;
      return { available: false, reason };
    }
  };

  const now = (): Promise<EngineStatus> => {
    probing ??= probe().then((next) => {
      probing = undefined;
      probedAt = performance.now();
      if (closing.aborted) return next;
      const before = status;
      status = next;
      if (!next.available) later();
      onProbed(next, before);
      return next;
    });
    return probing;
  };

  const later = (): void => {
    if (again || closing.aborted) return;
    again = setTimeout(() => {
      again = undefined;
      void now();
    }, AGAIN_MS);
    again.unref();
  };
  closing.addEventListener('abort', () => clearTimeout(again), { once: true });

  return {
    now,
    later,
    fresh: () => (status && performance.now() - probedAt < FRESH_MS ? Promise.resolve(status) : now()),
    /** Runs after the probe in progress, because that probe may have succeeded before the engine went away. */
    anew: () => void (probing ?? Promise.resolve()).then(now),
    answer: () => answer,
    status: () => status,
  };
};
