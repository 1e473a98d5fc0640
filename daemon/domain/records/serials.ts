// The stored record of the last serial numbers that a tenant has used.

/** This record outlives the numbered records, so that no number is used twice. */
export interface SerialsRecord {
  readonly tenant: string;
  readonly events: number;
  readonly deliveries: number;
  readonly users: number;
}

export type SerialKind = Exclude<keyof SerialsRecord, 'tenant'>;
