// The addresses that records carry in `_links`; absolute, and from the configuration, never from a request's Host.

export interface Addresses {
  /** The origin itself: the API as clients reach it. */
  api(): string;
  actor(actorId: string): string;
  executions(actorId: string): string;
  execution(actorId: string, executionId: string): string;
  logs(actorId: string, executionId: string): string;
  messages(actorId: string): string;
  alias(alias: string): string;
  profile(username: string): string;
}

/** Addresses below an origin; the origin is asked for at every use. @see auth.md R91 */
export const createAddresses = (baseUrl: () => string): Addresses => {
  const actor = (actorId: string) => `${baseUrl()}/actors/v2/${encodeURIComponent(actorId)}`;
  const executions = (actorId: string) => `${actor(actorId)}/executions`;
  const execution = (actorId: string, executionId: string) =>
    `${executions(actorId)}/${encodeURIComponent(executionId)}`;
  return {
    api: baseUrl,
    actor,
    executions,
    execution,
    logs: (actorId, executionId) => `${execution(actorId, executionId)}/logs`,
    messages: (actorId) => `${actor(actorId)}/messages`,
    alias: (alias) => `${baseUrl()}/actors/v2/aliases/${encodeURIComponent(alias)}`,
    profile: (username) => `${baseUrl()}/profiles/v2/${encodeURIComponent(username)}`,
  };
};
