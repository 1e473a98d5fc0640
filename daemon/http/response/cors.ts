// CORS headers: pages of other origins can call paths that authenticate by header, but never with cookies.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** @see docs/http-api.md#cross-origin-requests */
const OPEN = ['/actors', '/profiles', '/token', '/revoke', '/openapi.json', '/.well-known'];

const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

const isOpen = (path: string): boolean => OPEN.some((start) => path === start || path.startsWith(`${start}/`));

/** Sets the CORS headers if the path is open to other origins. @see docs/http-api.md#cross-origin-requests, docs/conformance/security.md R107 */
export const allowOrigin = (request: IncomingMessage, response: ServerResponse, path: string): void => {
  if (!isOpen(path)) return;
  const { origin } = request.headers;
  if (origin === undefined) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    return;
  }
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Vary', 'Origin');
};

/** Responds to OPTIONS on a known route with 200 and no body. Needs no token. */
export const answerOptions = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  allow: string,
): void => {
  response.setHeader('Allow', allow);
  if (isOpen(path) && request.headers['access-control-request-method'] !== undefined) {
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
  }
  response.writeHead(200, { 'Content-Length': 0, 'Cache-Control': 'no-store' }).end();
};
