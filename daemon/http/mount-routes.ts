// Makes the routes out of the table of operations, and says what unknown paths and methods answer.
import type { IRouter } from 'express';
import { type OperationId, type Operations, operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { pathOf } from './request-gate.ts';
import { type AnswerForm, plainForm } from './response/answer.ts';
import { answerOptions } from './response/cors.ts';
import type { Handlers } from './route-handler.ts';
import {
  answerThrown,
  isActorServicePath,
  type RouteHandler,
  type RouteOptions,
  type RouteRequest,
  serveOperation,
  shuttingDown,
} from './serve-operation.ts';

export interface MountRoutesOptions extends RouteOptions {
  /** The type demands one for every operation. */
  readonly handlers: Handlers;
}

/** Literal segments before parameters, so that no parameter swallows a route word. */
const bySpecificity = (left: string, right: string): number => {
  const rank = (path: string) =>
    path
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '1' : '0'))
      .join('');
  return rank(left) < rank(right) ? -1 : rank(left) > rank(right) ? 1 : 0;
};

const operationIds = Object.keys(operations).filter((id): id is OperationId => Object.hasOwn(operations, id));

/** Answers a failure where no operation does; what is guarded asks for a credential first. @see auth.md R120 */
const refusingHandler =
  (
    failureOf: (request: RouteRequest) => Failure,
    form: AnswerForm,
    { authenticate, logger, onlyExecutionTokens, stopping }: RouteOptions,
  ): RouteHandler =>
  async (request, response) => {
    try {
      if (stopping.aborted) throw shuttingDown();
      if (isActorServicePath(pathOf(request.url)) || onlyExecutionTokens) {
        response.locals.exchange.caller = await authenticate(request, { basic: false });
      }
      throw failureOf(request);
    } catch (error) {
      answerThrown(request, response, form, error, logger);
    }
  };

/** What a known path answers to a method it does not have. */
const otherMethods = (allow: string, form: AnswerForm, options: RouteOptions): RouteHandler => {
  const refuse = refusingHandler(
    ({ method }) =>
      new Failure('METHOD_NOT_ALLOWED', `This address does not take ${method}. It takes ${allow}.`, { allow }),
    form,
    options,
  );
  return (request, response, next) => {
    if (request.method === 'OPTIONS' && !options.stopping.aborted) {
      return answerOptions(request, response, pathOf(request.url), allow);
    }
    return refuse(request, response, next);
  };
};

/** What an unknown path answers. */
export const unknownRoute = (options: RouteOptions): RouteHandler =>
  refusingHandler(
    () => new Failure('NOT_FOUND', 'There is nothing at this address. Check the path.'),
    plainForm,
    options,
  );

/** What a path answers that cannot be decoded. */
export const brokenPath = (options: RouteOptions): RouteHandler =>
  refusingHandler(() => new Failure('VALIDATION', 'The path holds a broken percent-escape.'), plainForm, options);

/**
 * Puts a route on `router` for every operation of the contract; the type of `handlers` demands one for each.
 * Also answers OPTIONS and, with 405 and `Allow`, every other method of a known path.
 */
export const mountRoutes = (router: IRouter, options: MountRoutesOptions): void => {
  const paths = new Map<string, OperationId[]>();
  for (const id of operationIds) paths.set(operations[id].path, [...(paths.get(operations[id].path) ?? []), id]);
  const handlerOf = <I extends OperationId>(id: I): RouteHandler => {
    const operation: Operations[I] = operations[id];
    return serveOperation(operation, options.handlers[id], options);
  };
  for (const [path, ids] of [...paths].toSorted(([left], [right]) => bySpecificity(left, right))) {
    const route = router.route(path);
    for (const id of ids) route[verbs[operations[id].method]](handlerOf(id));
    const methods = ids.map((id) => operations[id].method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    const [kind = 'envelope', ...others] = new Set(ids.map((id) => operations[id].answer));
    const form: AnswerForm = { ...plainForm, ...(options.failurePage && { page: options.failurePage }) };
    route.all(otherMethods(allow, others.length === 0 && kind !== 'raw' ? { ...form, kind } : form, options));
  }
};

const verbs = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;
