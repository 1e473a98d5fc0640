// The time of the service: that of this machine, or what the responses of a service with a virtual clock show.
import { signal } from '@preact/signals';

/** True once a response has shown the time of a virtual clock. */
export const isVirtual = signal(false);
/** Changes when a response shows a time that the clock could not have reached: it was moved, stopped or resumed. */
export const clockJumps = signal(0);

/** Difference (ms) between the times of two responses that is no jump: the requests took longer than each other. */
const SLACK_MS = 2_000;

let shown: { readonly time: number; readonly at: number } | undefined;
let isRunning = false;

/** Time in ms. A virtual clock shows progress between two responses only if it runs. */
export const serviceNow = (): number =>
  shown === undefined ? Date.now() : shown.time + (isRunning ? performance.now() - shown.at : 0);

export const noteTime = ({ headers }: Pick<Response, 'headers'>): void => {
  const time = Date.parse(headers.get('x-virtual-clock') ?? '');
  if (Number.isNaN(time)) return;
  const isJump = shown !== undefined && Math.abs(time - serviceNow()) > SLACK_MS;
  shown = { time, at: performance.now() };
  isVirtual.value = true;
  if (isJump) clockJumps.value += 1;
};

export const noteRunning = (runs: boolean): void => {
  isRunning = runs;
};
