// What `webhooks listen` does wrong on purpose.
import { usage } from '../../failure.ts';
import { flag, integer, parsed, type ValuesOf } from '../kernel/option.ts';
import { duration } from './event-flags.ts';

/** The flags that ask for faults. */
export const faultOptions = {
  status: integer('--status <code>', 'answer with this status: 500', { min: 200, max: 599 }),
  failRate: parsed(
    '--fail-rate <share>',
    'only this share fails, from 0 to 1; with 500 unless --status says',
    (value, name) => {
      const share = /^(?:0|1|0?\.\d{1,6}|1\.0{1,6}|0\.\d{1,6})$/.test(value) ? Number(value) : Number.NaN;
      if (share >= 0 && share <= 1) return share;
      throw usage(`${name} must be a number from 0 to 1, not "${value}"`);
    },
  ),
  drop: flag('--drop', 'end the connection without an answer, instead of a status'),
  delay: duration('--delay <duration>', 'wait before each answer: 3s'),
};

export type Faults = Pick<ValuesOf<typeof faultOptions>, 'status' | 'failRate' | 'drop'>;

/**
 * What goes wrong with one delivery: a status to answer instead, an end without a word, or nothing.
 * @param dice from 0 to 1, 1 excluded
 */
export const faultOf = ({ status, failRate, drop }: Faults, dice: number): 'drop' | number | undefined => {
  const strikes = failRate === undefined ? drop || status !== undefined : dice < failRate;
  if (!strikes) return undefined;
  return drop ? 'drop' : (status ?? 500);
};
