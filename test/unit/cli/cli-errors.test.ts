// Failures of the command line: their wording and their exit codes.
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../src/client/answer.ts';
import { nameMissing } from '../../../src/client/not-found.ts';
import { catalog } from '../../../src/commands/framework/catalog.ts';
import { GROUPS, sameTarget } from '../../../src/commands/framework/same-target.ts';
import { type FailureCode, failureCodes } from '../../../src/contract/failure-codes.ts';
import { CliFailure, usage } from '../../../src/failure.ts';
import { asFailure, exitCodeOf, report, withLostOutput } from '../../../src/report.ts';
import { plain } from '../../../src/ui/color.ts';

const human = { json: false, debug: false, paint: plain, sameTarget: String };

describe('a failure', () => {
  it.each([
    ['USAGE', 2],
    ['VALIDATION', 2],
    ['CONFIRMATION_REQUIRED', 3],
    ['AUTH_REQUIRED', 4],
    ['AUTH_FAILED', 4],
    ['TOKEN_EXPIRED', 4],
    ['FORBIDDEN', 5],
    ['NOT_FOUND', 6],
    ['ALREADY_EXISTS', 7],
    ['PORT_IN_USE', 7],
    ['WAIT_TIMEOUT', 8],
    ['DAEMON_NOT_RUNNING', 9],
    ['NETWORK', 9],
    ['RUNTIME_UNAVAILABLE', 10],
    ['EXECUTION_FAILED', 11],
    ['CANCELLED', 130],
    ['INTERNAL', 1],
  ] satisfies [FailureCode, number][])('%s exits with %i', (code, exit) => {
    expect(exitCodeOf(new CliFailure(code, 'x'))).toBe(exit);
  });

  it('is shown to people as message and hint, without a stack', () => {
    const text = report(
      new CliFailure('DAEMON_NOT_RUNNING', 'the daemon is not running', { hint: 'actorctl up' }),
      human,
    );
    expect(text).toBe('error: the daemon is not running\ntry: actorctl up\n');
  });

  it('repeats the flags that chose the service in the commands of its hint', () => {
    const failure = new CliFailure('IN_USE', 'x', { hint: 'actorctl down --halt-executions' });
    const there = { ...human, sameTarget: sameTarget({ instance: 'test' }) };
    expect(report(failure, there)).toBe('error: x\ntry: actorctl down --instance test --halt-executions\n');
    expect(report(failure, { ...there, json: true })).toContain(
      '"hint":"actorctl down --instance test --halt-executions"',
    );
  });

  it('mentions --debug only for internal errors, and shows the stack only with --debug', () => {
    const failure = asFailure(new TypeError('x is not a function'));
    expect(report(failure, human)).toContain('--debug');
    expect(report(failure, human)).not.toContain('    at ');
    expect(report(failure, { ...human, debug: true })).toContain('TypeError: x is not a function');
  });

  it('shows the last log lines that it carries', () => {
    const failure = new CliFailure('DAEMON_UNHEALTHY', 'ended', { details: { log: ['one', 'two'] } });
    expect(report(failure, human)).toBe('error: ended\n  | one\n  | two\n');
  });

  it('is one JSON object in JSON mode', () => {
    const failure = new CliFailure('NOT_FOUND', 'no actor', {
      hint: 'actorctl actors list',
      httpStatus: 404,
      requestId: 'r-1',
      details: { actor: 'x' },
    });
    expect(JSON.parse(report(failure, { ...human, json: true }))).toEqual({
      error: {
        code: 'NOT_FOUND',
        category: 'not_found',
        http_status: 404,
        message: 'no actor',
        hint: 'actorctl actors list',
        retryable: false,
        request_id: 'r-1',
        details: { actor: 'x' },
      },
    });
    expect(report(usage('two\nlines'), { ...human, json: true }).trimEnd()).not.toContain('\n');
  });

  it('R163 shows no control characters from the server on the terminal', () => {
    expect(report(new CliFailure('VALIDATION', 'a\u001b[2Jb', { hint: '\u001b]0;x\u0007y' }), human)).toBe(
      'error: ab\nhint: y\n',
    );
    const failure = new CliFailure('VALIDATION', 'a\u009b2J\u202eb', { details: { name: '\u009d0;x' } });
    const json = report(failure, { ...human, json: true });
    expect(json).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect(JSON.parse(json)).toMatchObject({ error: { message: failure.message, details: { name: '\u009d0;x' } } });
  });
});

describe('an error response', () => {
  const envelope = (message: string) => JSON.stringify({ message, result: null, status: 'error', version: '1' });

  it('gives the failure its code, message, status and request id', () => {
    const failure = failureOf(
      409,
      { 'x-failure-code': 'ACTOR_BUSY', 'x-request-id': 'r-9' },
      envelope('an execution runs'),
    );
    expect(failure).toMatchObject({
      code: 'ACTOR_BUSY',
      message: 'an execution runs',
      extras: { httpStatus: 409, requestId: 'r-9' },
    });
  });

  it.each([
    [400, 'VALIDATION'],
    [401, 'AUTH_FAILED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'ALREADY_EXISTS'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [429, 'THROTTLED'],
    [500, 'INTERNAL'],
    [502, 'INTERNAL'],
  ])('without a known code is classified by its status %i', (status, code) => {
    expect(failureOf(status, { 'x-failure-code': 'MADE_UP' }, '<html>').code).toBe(code);
  });

  it('of the token endpoint with invalid_grant is an authentication failure, whatever its status', () => {
    const failure = failureOf(400, {}, JSON.stringify({ error: 'invalid_grant', error_description: 'spent' }));
    expect(failure).toMatchObject({
      code: 'AUTH_FAILED',
      message: 'spent',
      extras: { details: { error: 'invalid_grant' } },
    });
  });

  it('always has an exit code and a category', () => {
    for (const { exit, category } of Object.values(failureCodes)) {
      expect(exit).toBeGreaterThan(0);
      expect(category).not.toBe('');
    }
  });
});

describe('a resource that does not exist', () => {
  const missing = (message: string, path: string, params: Record<string, string>, hint?: string) => {
    const failure = new CliFailure('NOT_FOUND', message, hint === undefined ? {} : { hint });
    const { message: said, extras } = nameMissing(failure, { path }, params);
    return [said, extras.hint];
  };

  it('is named in the error, with the command that lists such resources', () => {
    expect(missing('There is no such config.', '/configs/:configName', { configName: 'db' })).toEqual([
      'there is no config "db"',
      'actorctl configs list',
    ]);
    expect(missing('There is no user "ana".', '/users/:username', { username: 'ana' })).toEqual([
      'There is no user "ana".',
      'actorctl profiles list',
    ]);
  });

  it('is the one that the service names among several', () => {
    const params = { alias: 'wc', nonceId: 'DEV_secret' };
    expect(missing('There is no such alias.', '/aliases/:alias/nonces/:nonceId', params)[0]).toBe(
      'there is no alias "wc"',
    );
    expect(missing('There is no such nonce.', '/aliases/:alias/nonces/:nonceId', params)).toEqual([
      'There is no such nonce.',
      'actorctl nonces list TARGET',
    ]);
  });

  it('keeps the hint of the failure', () => {
    expect(missing('There is no such alias.', '/aliases/:alias', { alias: 'wc' }, 'look')[1]).toBe('look');
  });
});

describe('the commands of a text', () => {
  it.each([
    ['actorctl login', 'actorctl login --instance test -c prod'],
    ['actorctl daemon restart --port 9000', 'actorctl daemon restart --instance test -c prod --port 9000'],
    ['run actorctl login again', 'run actorctl login --instance test -c prod again'],
    [
      'it uses it after: actorctl down, actorctl up',
      'it uses it after: actorctl down --instance test -c prod, actorctl up --instance test -c prod',
    ],
    ['actorctl up --instance other', 'actorctl up --instance other'],
    ['actorctl login -c staging, or remove it', 'actorctl login -c staging, or remove it'],
    ['actorctl context show prod', 'actorctl context show prod'],
    ['the client of actorctl at the daemon', 'the client of actorctl at the daemon'],
    ['~/.config/actorctl settings', '~/.config/actorctl settings'],
  ])('%s', (text, expected) => expect(sameTarget({ instance: 'test', context: 'prod' })(text)).toBe(expected));

  it('are recognized by the names of all groups', async () => {
    const loaded = await Promise.all(catalog.map(async ({ name, load }) => [name, await load()] as const));
    expect(GROUPS.toSorted()).toEqual(loaded.flatMap(([name, node]) => (Array.isArray(node) ? [name] : [])).toSorted());
  });

  it('are not changed if the run was given neither --instance nor --context', () =>
    expect(sameTarget({})('actorctl login')).toBe('actorctl login'));
  it('quote a name that a shell would read differently', () =>
    expect(sameTarget({ context: 'my prod' })('actorctl login')).toBe("actorctl login -c 'my prod'"));
});

describe('output that cannot be written', () => {
  const lost = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  const what = 'cannot write to standard output: the disk is full';
  it('fails a command that succeeded otherwise', () => {
    expect(withLostOutput(lost, lost)).toMatchObject({ code: 'USAGE', message: what });
  });
  it.each([
    ['interrupted', what],
    ['execution E1 was submitted, then: interrupted', `execution E1 was submitted, then: ${what}`],
    ['interrupted: the daemon (process 7) runs on', `${what}. interrupted: the daemon (process 7) runs on`],
  ])('is reported as the cause of a cancellation, together with the completed work: %s', (message, expected) => {
    const cancelled = new CliFailure('CANCELLED', message, { hint: 'actorctl status', details: { a: 1 } });
    const extras = { hint: 'actorctl status', details: { a: 1 } };
    expect(withLostOutput(cancelled, lost)).toMatchObject({ code: 'USAGE', message: expected, extras });
  });
  it('does not hide an unrelated error', () => {
    const refused = new CliFailure('THROTTLED', '3 of 10 messages were sent, then: the mailbox is full');
    expect(withLostOutput(refused, lost)).toBe(refused);
  });
});
