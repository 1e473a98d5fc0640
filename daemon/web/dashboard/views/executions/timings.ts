// The times of an execution as parts of a bar.

export interface Timing {
  readonly name: 'waited' | 'ran';
  readonly ms: number;
  /** Percentage of the whole, 0 to 100. */
  readonly percent: number;
}

interface Times {
  readonly messageReceivedTime: string;
  readonly startTime?: string | undefined;
  readonly finishTime?: string | undefined;
}

export const timingsOf = ({ messageReceivedTime, startTime, finishTime }: Times, now: number): readonly Timing[] => {
  const received = Date.parse(messageReceivedTime);
  const end = finishTime === undefined ? Math.max(now, received) : Date.parse(finishTime);
  const start = startTime === undefined ? end : Date.parse(startTime);
  const waited = Math.max(0, start - received);
  const ran = Math.max(0, end - start);
  const whole = Math.max(1, waited + ran);
  return [
    { name: 'waited', ms: waited, percent: (waited / whole) * 100 },
    ...(startTime === undefined ? [] : [{ name: 'ran', ms: ran, percent: (ran / whole) * 100 } as const]),
  ];
};
