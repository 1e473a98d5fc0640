// A signal that fires after a time.

/** Longest time that a timer can wait, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that fires after this many milliseconds. It never fires for undefined, or for a time longer than a timer can
 * wait. Its timer does not keep the process alive.
 * Unlike `AbortSignal.timeout` it may be a part of `AbortSignal.any`, which does not keep its parts: Node collects a
 * timeout that only such a signal refers to, and neither fires.
 * @see https://github.com/nodejs/node/issues/57736
 */
export const timeoutSignal = (ms: number | undefined): AbortSignal => {
  const controller = new AbortController();
  if (ms !== undefined && ms <= LONGEST_TIMER_MS) {
    const late = () => controller.abort(new DOMException('The time is over.', 'TimeoutError'));
    setTimeout(late, Math.max(0, ms)).unref();
  }
  return controller.signal;
};
