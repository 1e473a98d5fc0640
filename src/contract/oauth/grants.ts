// The grants of the authorization service, and the flows among them.

/** Flows whose access tokens have a lifetime that a tenant can set. */
export const timedFlows = ['authorization_code', 'implicit', 'password', 'client_credentials'] as const;
export type TimedFlow = (typeof timedFlows)[number];

/** What a client can be allowed to use. */
export const grants = [...timedFlows, 'refresh_token'] as const;
export type Grant = (typeof grants)[number];

/** One value for each flow. */
export const perFlow = <T>(valueFor: (flow: TimedFlow) => T): Record<TimedFlow, T> =>
  Object.fromEntries(timedFlows.map((flow) => [flow, valueFor(flow)])) as Record<TimedFlow, T>;
