// The two dialects of the service: its own, and that of the hosted platform that its clients were written for.

/** `modern`: as the contract says. `legacy`: as the hosted platform answers, for programs that were written for it. */
export const dialects = ['modern', 'legacy'] as const;
export type Dialect = (typeof dialects)[number];
