// Formats a failure: message and hint for people, one JSON object for programs. Used by main.ts only.
import { failureCodes } from './contract/failure-codes.ts';
import { CliFailure, fileFailure, isError, messageOf, reasonOf, systemCode } from './failure.ts';
import { blockedBy } from './local/folders/access.ts';
import type { Paint } from './ui/color.ts';
import { escapeUnsafe } from './ui/format/json.ts';
import { snakeKeys } from './ui/format/names.ts';
import { stripControl } from './ui/text.ts';

export interface ReportInput {
  /** Print one JSON object. */
  readonly json: boolean;
  /** Print stacks and causes. */
  readonly debug: boolean;
  readonly paint: Paint;
  /** Adds the context and instance of this run to the commands in a hint. */
  readonly sameTarget: (hint: string) => string;
}

const ACCESS: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS'];

/** The failure with owner and fix of the path that this user may not use. */
const withAccess = (failure: CliFailure): CliFailure => {
  const { code, message, extras } = failure;
  if (extras.blocked === undefined) return failure;
  const { note, fix } = blockedBy(extras.blocked, extras.cause === undefined ? 'EACCES' : systemCode(extras.cause));
  const { blocked: _, ...rest } = extras;
  return new CliFailure(code, message.includes('belongs to user') ? message : message + note, {
    ...rest,
    ...(fix !== undefined && { hint: fix }),
  });
};

/** Turns any thrown value into a failure. An unexpected error becomes INTERNAL. */
export const asFailure = (error: unknown): CliFailure => {
  if (error instanceof CliFailure) return withAccess(error);
  const isAccess = isError(error) && 'path' in error && ACCESS.includes(systemCode(error));
  if (!isAccess) return new CliFailure('INTERNAL', messageOf(error), { cause: error });
  return withAccess(fileFailure('cannot use', String(error.path), error));
};

/**
 * The failure of a command whose output could not be written. An error with another cause is returned unchanged.
 * @param error the error with which the command ended, or `lost` itself
 */
export const withLostOutput = (error: unknown, lost: Error): unknown => {
  const what = `cannot write to standard output: ${reasonOf(lost)}`;
  const hint = 'write the output to another file or disk';
  if (error === lost) return new CliFailure('USAGE', what, { hint, cause: lost });
  if (!(error instanceof CliFailure) || error.code !== 'CANCELLED') return error;
  // The message of this error lists the steps completed before the command was cancelled.
  const message = error.message.endsWith('interrupted')
    ? error.message.replace(/interrupted$/, what)
    : `${what}. ${error.message}`;
  return new CliFailure('USAGE', message, { hint, ...error.extras, cause: lost });
};

export const exitCodeOf = (failure: CliFailure): number => failureCodes[failure.code].exit;

const object = ({ code, message, extras }: CliFailure, hint: string | undefined) => ({
  error: {
    code,
    category: failureCodes[code].category,
    http_status: extras.httpStatus,
    message,
    hint,
    retryable: failureCodes[code].retryable,
    request_id: extras.requestId,
    ...(extras.details && { details: snakeKeys(extras.details) }),
  },
});

const stackOf = (error: unknown): string => {
  if (!isError(error)) return '';
  const below = stackOf(error.cause);
  return `${error.stack ?? error.message}${below ? `\ncaused by ${below}` : ''}`;
};

const isCommand = (hint: string): boolean => /^actorctl( |$)/.test(hint);

/** The text for stderr with its line end. @see docs/cli.md#errors */
export const report = (failure: CliFailure, { json, debug, paint, sameTarget }: ReportInput): string => {
  const { code, message, extras } = failure;
  const hint = extras.hint === undefined ? undefined : sameTarget(extras.hint);
  if (json) return `${escapeUnsafe(JSON.stringify(object(failure, hint)))}\n`;
  const log = extras.details?.['log'];
  const lines = [
    `${paint.red('error:')} ${stripControl(message)}`,
    ...(Array.isArray(log) ? log.map((line) => paint.dim(`  | ${stripControl(String(line))}`)) : []),
    ...(hint === undefined ? [] : [`${isCommand(hint) ? 'try' : 'hint'}: ${stripControl(hint)}`]),
  ];
  if (debug) lines.push(paint.dim(stripControl(stackOf(failure))));
  else if (code === 'INTERNAL') lines.push(paint.dim('run it again with --debug to see the cause'));
  if (extras.requestId !== undefined && (debug || code === 'INTERNAL'))
    lines.push(paint.dim(`request ${extras.requestId}`));
  return `${lines.join('\n')}\n`;
};
