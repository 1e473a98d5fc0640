// Limits of requests: bytes, parameters, depth and time.
import type { ServerOptions } from 'node:http';
import { MESSAGE_LIMIT } from '../../../src/contract/actors/messages.ts';

export interface Limits {
  /** Maximum bytes of a body, except for messages and for forms of the token endpoint. */
  readonly bodyBytes: number;
  readonly messageBytes: number;
  /** Maximum bytes of a form for the token endpoint and the other OAuth endpoints. */
  readonly formBytes: number;
  /** Maximum number of fields in one form. */
  readonly parameters: number;
  /** Maximum number of connections of a listener. @see docs/conformance/security.md R109, R242 */
  readonly connections: number;
  /** Time (ms) that a client has to complete its TLS handshake. */
  readonly handshakeMs: number;
}

/** @see docs/conformance/security.md R39, R112, R182 */
export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  messageBytes: MESSAGE_LIMIT,
  formBytes: 64 * 1024,
  parameters: 1_000,
  connections: 2_000,
  handshakeMs: 10_000,
};

/** Maximum bytes of the body of an owner's operation. Long operations have their own limits. */
export const OWNER_BODY_BYTES = 64 * 1024;

/**
 * An unread body up to this declared size (bytes) is read and discarded. With a larger one, the connection is closed.
 */
export const FORGET_BYTES = 64 * 1024;

/** Time (ms) during which the rest of a refused body is discarded, so that the client can read the refusal. */
export const LINGER_MS = 1_000;

/**
 * Time limits apply to the arrival of a request, never to its response: streams and synchronous waits may take long.
 * @see docs/conformance/security.md R108, R109
 */
export const serverOptions: ServerOptions = {
  insecureHTTPParser: false,
  requireHostHeader: true,
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
};

/** @see docs/conformance/security.md R109 */
export const MAX_REQUESTS_PER_SOCKET = 100_000;
