// Simulated failures of `webhooks listen`.
import { usage } from '../../failure.ts';
import { flag, integer, parsed, type ValuesOf } from '../framework/option.ts';
import { duration } from './event-flags.ts';

export const faultOptions = {
  status: integer('--status <code>', 'respond with this status: 500', { min: 200, max: 599 }),
  failRate: parsed(
    '--fail-rate <share>',
    'fail only this share of requests, from 0 to 1; with status 500 unless --status is given',
    (value, name) => {
      const share = /^(?:0|1|0?\.\d{1,6}|1\.0{1,6}|0\.\d{1,6})$/.test(value) ? Number(value) : Number.NaN;
      if (share >= 0 && share <= 1) return share;
      throw usage(`${name} must be a number from 0 to 1, not "${value}"`);
    },
  ),
  drop: flag('--drop', 'close the connection without a response'),
  delay: duration('--delay <duration>', 'wait before each response: 3s'),
};

export type Faults = Pick<ValuesOf<typeof faultOptions>, 'status' | 'failRate' | 'drop'>;

/**
 * Returns the failure of a request: a status, a dropped connection, or none.
 * @param dice random number from 0 to 1, 1 excluded
 */
export const faultOf = ({ status, failRate, drop }: Faults, dice: number): 'drop' | number | undefined => {
  const strikes = failRate === undefined ? drop || status !== undefined : dice < failRate;
  if (!strikes) return undefined;
  return drop ? 'drop' : (status ?? 500);
};
