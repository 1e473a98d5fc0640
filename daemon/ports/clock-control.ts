// Port of a virtual clock: shows and moves the time of an instance.
import type { ClockState } from '../../src/contract/clock.ts';
import type { ClockMove } from '../domain/schedule/virtual-time.ts';

export interface Moved {
  /** False if more scheduled runs fall due than allowed. Then nothing was changed. */
  readonly moved: boolean;
  readonly from: number;
  readonly to: number;
  /** Number of scheduled runs that fall due during the move. */
  readonly due: number;
}

export interface ClockControl {
  state(): ClockState;
  /**
   * Moves the clock, and fires every schedule at each of its times on the way, in order. Afterwards the clock is
   * stopped, and expired records are deleted. Position and messages are stored together, so a crash neither loses a run
   * nor repeats one; the clock is then at the last stored run.
   * @param options.most runs that the caller allows; with more of them nothing is changed
   * @param options.signal stops the advance at the position that it has reached
   * @throws Failure VALIDATION for a move back, beyond the last instant or with too many runs, IN_USE while another move
   * is in progress, SHUTTING_DOWN, STORE_UNAVAILABLE
   */
  move(move: ClockMove, options: { readonly most: number; readonly signal: AbortSignal }): Promise<Moved>;
  pause(): Promise<ClockState>;
  /** Lets the clock run as fast as the machine's clock. @throws Failure IN_USE, STORE_UNAVAILABLE */
  resume(): Promise<ClockState>;
  /** Stops an advance at the position that it has reached, and accepts no further advance. */
  close(): Promise<void>;
}
