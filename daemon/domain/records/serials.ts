// The stored record of the numbers that a tenant has given out.

/** It outlives the records, so that no number is used twice. */
export interface SerialsRecord {
  readonly tenant: string;
  readonly events: number;
  readonly deliveries: number;
  readonly users: number;
}

export type SerialKind = Exclude<keyof SerialsRecord, 'tenant'>;
