// The OAuth grant types of the authorization service, and which of them are flows.

/** Flows whose access tokens have a lifetime that a tenant can set. */
export const timedFlows = ['authorization_code', 'implicit', 'password', 'client_credentials'] as const;
export type TimedFlow = (typeof timedFlows)[number];

/** The grant types that a client can be registered for. */
export const grants = [...timedFlows, 'refresh_token'] as const;
export type Grant = (typeof grants)[number];

/** An object with one value for each flow. */
export const perFlow = <T>(valueFor: (flow: TimedFlow) => T): Record<TimedFlow, T> =>
  Object.fromEntries(timedFlows.map((flow) => [flow, valueFor(flow)])) as Record<TimedFlow, T>;
