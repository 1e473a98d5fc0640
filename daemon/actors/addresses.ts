// Builds the absolute URLs in `_links` from the configured base URL, never from the Host header of a request.

export interface Addresses {
  /** The base URL of the API. */
  api(): string;
  actor(actorId: string): string;
  executions(actorId: string): string;
  execution(actorId: string, executionId: string): string;
  logs(actorId: string, executionId: string): string;
  messages(actorId: string): string;
  alias(alias: string): string;
  profile(username: string): string;
}

/** Makes the URLs below a base URL, which is read again for every URL. @see docs/security.md R91 */
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
