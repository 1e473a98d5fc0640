// Builds the absolute URLs in `_links` from the configured base URL, never from the Host header of a request.

export type Addresses = ReturnType<typeof createAddresses>;

/**
 * Makes a function that builds URLs below a base URL. The base URL is read again for every URL, because it can change.
 * @see docs/conformance/security.md R91
 */
export const createAddresses = (baseUrl: () => string) => {
  const actor = (actorId: string) => `${baseUrl()}/actors/v2/${encodeURIComponent(actorId)}`;
  const executions = (actorId: string) => `${actor(actorId)}/executions`;
  const execution = (actorId: string, executionId: string) =>
    `${executions(actorId)}/${encodeURIComponent(executionId)}`;
  return {
    /** The base URL of the API. */
    api: baseUrl,
    actor,
    executions,
    execution,
    logs: (actorId: string, executionId: string): string => `${execution(actorId, executionId)}/logs`,
    messages: (actorId: string): string => `${actor(actorId)}/messages`,
    alias: (alias: string): string => `${baseUrl()}/actors/v2/aliases/${encodeURIComponent(alias)}`,
    profile: (username: string): string => `${baseUrl()}/profiles/v2/${encodeURIComponent(username)}`,
  };
};
