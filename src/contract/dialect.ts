// The two dialects of the service: its own dialect, and the dialect of the hosted Abaco platform, for older clients.

/** `modern`: behaves as the contract says. `legacy`: behaves like the hosted platform, for programs written for it. */
export const dialects = ['modern', 'legacy'] as const;
export type Dialect = (typeof dialects)[number];
