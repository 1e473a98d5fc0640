// Serves one operation: authorizes, validates the input, calls the handler and writes the response.
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { failureCodes } from '../../src/contract/failure-codes.ts';
import type { Guard, Operation } from '../../src/contract/operation.ts';
import { Failure } from '../domain/failure.ts';
import type { Logger } from '../ports/logger.ts';
import { type AuthorizationOptions, authorizationOf } from './authorization.ts';
import { ruleOf } from './dialect/listener-dialect.ts';
import type { ExchangeResponse, Locals } from './exchange.ts';
import { type AuthorizedResources, assertAuthorized, resourceGuardOf } from './guard.ts';
import { mapMaybe } from './maybe-promise.ts';
import { readFields } from './request/body.ts';
import { fieldReader, ignoredSentence } from './request/fields.ts';
import type { Limits } from './request/limits.ts';
import { NO_QUERY, type Query, queryOf, withQuery } from './request/query.ts';
import { type AnswerForm, answer, answerFailure, type FailurePage, internalFailure } from './response/answer.ts';
import { ANSWERED, type Handler, type HandlerBase } from './route-handler.ts';
import { demandServing } from './serving.ts';

export interface RouteOptions extends AuthorizationOptions {
  readonly limits: Limits;
  readonly stopping: AbortSignal;
  /** True until the records are recovered. Until then, only `/healthz` is served. */
  readonly starting: () => boolean;
  readonly logger: Logger;
  readonly failurePage?: FailurePage | undefined;
}

type Params = Record<string, string>;
export type RouteHandler = RequestHandler<Params, unknown, unknown, Query, Locals>;
export type RouteRequest = Parameters<RouteHandler>[0];

/** Paths below this prefix require a credential even for a 404. @see docs/conformance/security.md R120 */
const ACTOR_SERVICE_PREFIX = '/actors';

export const isActorServicePath = (path: string): boolean =>
  path === ACTOR_SERVICE_PREFIX || path.startsWith(`${ACTOR_SERVICE_PREFIX}/`);

const challengesOf = (guard: Guard): AnswerForm['challenges'] =>
  guard === 'public' ? ['Basic'] : guard === 'basic-or-caller' ? ['Bearer', 'Basic'] : ['Bearer'];

/** True for `?naked`, `?naked=true`, `?naked=1` and `?naked=yes`. @see docs/http-api.md#envelope */
const isFlagSet = (value: string | string[] | undefined): boolean =>
  typeof value === 'string' && /^(|true|1|yes)$/i.test(value);

const answerFormOf = (form: AnswerForm, query: Query | Failure): AnswerForm =>
  query === NO_QUERY || query instanceof Failure
    ? form
    : { ...form, pretty: isFlagSet(query['pretty']), naked: isFlagSet(query['naked']) };

const hasStatus = ({ code }: Failure): boolean => code !== 'INTERNAL' && failureCodes[code].status > 0;

/** Logs every error except a Failure with its stack, and responds only with the request id. */
export const answerThrown = (
  request: IncomingMessage,
  response: ExchangeResponse,
  form: AnswerForm,
  thrown: unknown,
  logger: Logger,
): void => {
  const { id, route } = response.locals.exchange;
  // Codes without a status are meant for the command line. In the daemon, they are internal errors.
  const known = thrown instanceof Failure && hasStatus(thrown) ? thrown : undefined;
  // After a disconnect the handler's wait is aborted, which is not an error.
  if (known === undefined && !response.destroyed)
    logger.error({ requestId: id, route, error: thrown }, 'internal error');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  answerFailure(request, response, form, known ?? internalFailure(id));
};

export const serveOperation = <O extends Operation>(
  operation: O,
  handler: Handler<O>,
  options: RouteOptions,
): RouteHandler => {
  const { limits, onlyExecutionTokens, logger, legacy } = options;
  const { guard, path, method } = operation;
  const rule = ruleOf(legacy, operation);
  const body = rule.body ?? operation.body;
  const route = `${method} ${path}`;
  const form: AnswerForm = {
    kind: operation.answer,
    challenges: challengesOf(onlyExecutionTokens ? 'caller' : guard),
    pretty: false,
    naked: false,
    page: options.failurePage,
    ...(legacy && { reword: (failure) => rule.refusal?.(failure) ?? legacy.refusal(failure) }),
  };
  const readQuery = fieldReader(operation.query);
  const readInput = fieldReader(operation.input);
  const guarded = resourceGuardOf(guard);
  const authorization = authorizationOf(operation, options);
  // The health operation reports the start itself.
  const reportsHealth = operation.id === 'health.show';
  const mergesQuery = body === 'form-or-json' && isActorServicePath(path);

  const respond = async (
    request: RouteRequest,
    response: ExchangeResponse,
    query: Query | Failure,
    how: AnswerForm,
  ) => {
    const { exchange } = response.locals;
    if (!reportsHealth || options.stopping.aborted) demandServing(options);
    const { nonce, byName, params, authorize } = authorization(request, exchange, query);
    let proven = await authorize();
    if (query instanceof Failure) throw query;
    const asked = readQuery(query);
    const isLate = !request.complete;
    const read = body === 'none' || body === 'message' ? undefined : await readFields(request, body, limits);
    const raw = read?.value;
    // A sender could delay the body until its permission has been revoked, so the permission is checked again.
    // @see docs/conformance/security.md R84
    if (isLate && raw !== undefined) proven = await authorize();
    const { caller } = exchange;
    const given =
      body === 'none' || body === 'message' ? undefined : readInput(mergesQuery ? withQuery(raw, query) : raw);
    const context = {
      signal: exchange.signal,
      params: params(),
      query: asked.value,
      sentQuery: query,
      input: given && rule.input ? rule.input(given.value, { params: params(), caller, ...proven }) : given?.value,
      sentInput: given?.sent ?? {},
      bodyText: () => (read?.kind === 'json' ? read.text() : undefined),
      requestId: exchange.id,
      byName,
      dialect: legacy ? 'legacy' : 'modern',
      finishAuthorization: async () => {
        if (isLate && nonce?.isRedeemed !== true) await authorize();
        await nonce?.redeem();
      },
      reauthorize: () => mapMaybe(authorize(), () => exchange.caller),
      request,
      response,
      caller,
      actor: proven.actor,
      alias: proven.alias,
      config: proven.config,
    } satisfies Record<keyof HandlerBase<Operation> | 'caller' | keyof AuthorizedResources, unknown>;
    assertAuthorized(operation, guarded, context);
    // A handler with a `message` body counts the nonce's use itself after reading, so that a refused body costs no use.
    if (body !== 'message') await nonce?.redeem();
    let reply: Awaited<ReturnType<Handler<O>>>;
    try {
      reply = await handler(context);
    } catch (error) {
      throw given === undefined ? error : given.withSentNames(error);
    }
    // Counts the use if a handler with a `message` body did not read one.
    await nonce?.redeem();
    if (reply === ANSWERED) return;
    const result = rule.result ? rule.result(reply.result, { params: params(), caller, ...proven }) : reply.result;
    answer(request, response, how, reply.message + ignoredSentence(given?.unknown ?? []), result);
  };

  return async (request, response) => {
    response.locals.exchange.route = route;
    const query = queryOf(request);
    const how = answerFormOf(form, query);
    try {
      await respond(request, response, query, how);
    } catch (error) {
      answerThrown(request, response, how, error, logger);
    }
  };
};
