// The table of failures: code → HTTP status, exit code of the command line, category. No other module maps failures
// to status or exit codes.

/**
 * Meaning of a failure code over HTTP (`status`) and for a shell (`exit`). @see docs/http-api.md#errors, docs/cli.md#exit-codes
 */
export interface FailureCodeEntry {
  /** HTTP status, or 0 for a failure that only the command line has. */
  readonly status: number;
  readonly exit: number;
  /** Group of codes, for scripts that do not need the exact code. */
  readonly category: string;
  /** True if the same request may succeed later without any change. */
  readonly retryable: boolean;
}

const entry = (status: number, exit: number, category: string, retryable = false): FailureCodeEntry => ({
  status,
  exit,
  category,
  retryable,
});

/** Every failure code of the program. Scripts read the codes, so they never change. */
export const failureCodes = {
  VALIDATION: entry(400, 2, 'usage'),
  MALFORMED_BODY: entry(400, 2, 'usage'),
  ALIAS_NONCE_LEVEL: entry(400, 2, 'usage'),
  AUTH_REQUIRED: entry(401, 4, 'auth'),
  AUTH_FAILED: entry(401, 4, 'auth'),
  TOKEN_EXPIRED: entry(401, 4, 'auth'),
  ACCESS_DENIED: entry(0, 4, 'auth'),
  FORBIDDEN: entry(403, 5, 'forbidden'),
  NOT_FOUND: entry(404, 6, 'not_found'),
  LINK_CYCLE: entry(400, 7, 'conflict'),
  METHOD_NOT_ALLOWED: entry(405, 1, 'error'),
  ALREADY_EXISTS: entry(409, 7, 'conflict'),
  KEY_REUSED: entry(409, 7, 'conflict'),
  MESSAGE_NOT_KEPT: entry(409, 7, 'conflict'),
  NOT_RUNNING: entry(409, 7, 'conflict'),
  LAST_ADMIN: entry(409, 7, 'conflict'),
  LAST_HOLDER: entry(409, 7, 'conflict'),
  STALE_VERSION: entry(409, 7, 'conflict'),
  IN_USE: entry(409, 7, 'conflict'),
  OTHER_CLOCK: entry(409, 7, 'conflict'),
  ACTOR_STATEFUL: entry(400, 7, 'conflict'),
  ACTOR_STATELESS: entry(400, 7, 'conflict'),
  QUOTA_EXCEEDED: entry(409, 7, 'conflict'),
  NO_RECEIVER: entry(409, 7, 'conflict'),
  ACTOR_BUSY: entry(409, 7, 'conflict'),
  PAYLOAD_TOO_LARGE: entry(413, 2, 'usage'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 2, 'usage'),
  MISDIRECTED: entry(421, 1, 'error'),
  THROTTLED: entry(429, 1, 'error', true),
  INTERNAL: entry(500, 1, 'error'),
  STORE_UNAVAILABLE: entry(503, 1, 'error', true),
  OVERLOADED: entry(503, 9, 'daemon', true),
  STARTING: entry(503, 9, 'daemon', true),
  SHUTTING_DOWN: entry(503, 9, 'daemon', true),
  USAGE: entry(0, 2, 'usage'),
  REDIRECT_URI_MISMATCH: entry(0, 2, 'usage'),
  CONFIRMATION_REQUIRED: entry(0, 3, 'confirmation'),
  WAIT_TIMEOUT: entry(0, 8, 'still_running'),
  DAEMON_NOT_RUNNING: entry(0, 9, 'daemon', true),
  DAEMON_UNHEALTHY: entry(0, 9, 'daemon', true),
  DAEMON_VERSION: entry(0, 9, 'daemon'),
  PORT_IN_USE: entry(0, 7, 'conflict'),
  ALREADY_RUNNING: entry(0, 7, 'conflict'),
  NO_RESULT: entry(0, 7, 'conflict', true),
  NETWORK: entry(0, 9, 'daemon', true),
  RUNTIME_UNAVAILABLE: entry(0, 10, 'runtime', true),
  BUILD_FAILED: entry(0, 10, 'runtime'),
  CHANGES: entry(0, 12, 'changes'),
  IMAGE_PULL_FAILED: entry(0, 10, 'runtime'),
  ACTOR_ERROR: entry(0, 10, 'runtime'),
  EXECUTION_FAILED: entry(0, 11, 'actor_failed'),
  COMMAND_NOT_STARTED: entry(0, 126, 'usage'),
  COMMAND_NOT_FOUND: entry(0, 127, 'usage'),
  CANCELLED: entry(0, 130, 'interrupted'),
} as const satisfies Record<string, FailureCodeEntry>;

export type FailureCode = keyof typeof failureCodes;

/** Response header with the failure code, because the envelope has no field for the code. */
export const FAILURE_CODE_HEADER = 'x-failure-code';

/** Response header with the id of the request, to quote in a bug report. */
export const REQUEST_ID_HEADER = 'x-request-id';

export const isFailureCode = (value: string): value is FailureCode => Object.hasOwn(failureCodes, value);
