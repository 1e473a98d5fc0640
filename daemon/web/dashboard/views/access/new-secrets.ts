// Secrets of clients that were issued on this page, so that a flow can be tried at once. In memory only: a secret is
// shown once, and is gone when the page is closed.
const secrets = new Map<string, string>();

export const keepSecret = (clientId: string, secret: string): void => {
  secrets.set(clientId, secret);
};

export const secretOf = (clientId: string): string => secrets.get(clientId) ?? '';
