// Mounts a route for every operation and answers unknown paths and methods.
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
} from './serve-operation.ts';
import { demandServing } from './serving.ts';

export interface MountRoutesOptions extends RouteOptions {
  readonly handlers: Handlers;
}

/** Sorts after every character of a path. */
const LAST = '~';

/** Orders paths with literal segments before paths with parameters, so that a parameter does not match a literal. */
const bySpecificity = (left: string, right: string): number =>
  left.replaceAll(':', LAST) < right.replaceAll(':', LAST) ? -1 : 1;

const operationIds = Object.keys(operations).filter((id): id is OperationId => Object.hasOwn(operations, id));

/** Makes a handler that always fails. Below the actor service it authenticates first. @see docs/security.md R120 */
const refusingHandler =
  (
    failureOf: (request: RouteRequest) => Failure,
    form: AnswerForm,
    { authenticate, logger, onlyExecutionTokens, ...options }: RouteOptions,
  ): RouteHandler =>
  async (request, response) => {
    try {
      demandServing(options);
      if (isActorServicePath(pathOf(request.url)) || onlyExecutionTokens) {
        response.locals.exchange.caller = await authenticate(request, { basic: false });
      }
      throw failureOf(request);
    } catch (error) {
      answerThrown(request, response, form, error, logger);
    }
  };

/** Answers a known path with a method that it does not have. */
const otherMethods = (allow: string, form: AnswerForm, options: RouteOptions): RouteHandler => {
  const refuse = refusingHandler(
    ({ method }) =>
      new Failure('METHOD_NOT_ALLOWED', `This address does not accept ${method}. It accepts ${allow}.`, { allow }),
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

/** Answers an unknown path. */
export const unknownRoute = (options: RouteOptions): RouteHandler =>
  refusingHandler(
    () => new Failure('NOT_FOUND', 'There is nothing at this address. Check the path.'),
    plainForm,
    options,
  );

/** Answers a path that cannot be decoded. */
export const brokenPath = (options: RouteOptions): RouteHandler =>
  refusingHandler(() => new Failure('VALIDATION', 'The path contains a broken percent-escape.'), plainForm, options);

/**
 * Mounts every operation of the contract on `router`. Also answers OPTIONS, and every other method of a known path with
 * 405 and `Allow`.
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
    // The operations of a path refuse in the same format: a failure of a `raw` operation is sent in the envelope.
    const [kind = 'envelope'] = ids.map((id) => operations[id].answer);
    const page = options.failurePage && { page: options.failurePage };
    route.all(otherMethods(allow, { ...plainForm, kind, ...page }, options));
  }
};

const verbs = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;
