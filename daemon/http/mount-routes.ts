// Mounts a route for every operation, and responds to unknown paths and methods.
import type { IRouter } from 'express';
import type { Operation } from '../../src/contract/operation.ts';
import {
  type OperationId,
  type Operations,
  operations,
  type ServiceOperationId,
} from '../../src/contract/operations.ts';
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

interface Served {
  readonly operation: Operation;
  readonly handler: RouteHandler;
}

export interface MountRoutesOptions<Id extends OperationId = ServiceOperationId> extends RouteOptions {
  readonly handlers: Handlers<Id>;
}

/** A character that sorts after every character of a path. */
const LAST = '~';

/** Orders paths with literal segments before paths with parameters, so that a parameter does not match a literal. */
const bySpecificity = (left: string, right: string): number =>
  left.replaceAll(':', LAST) < right.replaceAll(':', LAST) ? -1 : 1;

/** Makes a handler that always fails. Below the actor service it authenticates first. @see docs/conformance/security.md R120 */
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

export const unknownRoute = (options: RouteOptions): RouteHandler =>
  refusingHandler(
    () => new Failure('NOT_FOUND', 'There is nothing at this address. Check the path.'),
    plainForm,
    options,
  );

export const brokenPath = (options: RouteOptions): RouteHandler =>
  refusingHandler(() => new Failure('VALIDATION', 'The path contains a broken percent-escape.'), plainForm, options);

/** Mounts every operation. Also responds to OPTIONS, and to every other method of a known path with 405 and `Allow`. */
export const mountRoutes = <Id extends OperationId>(router: IRouter, options: MountRoutesOptions<Id>): void => {
  const served = (id: Id): Served => ({
    operation: operations[id],
    handler: serveOperation<Operations[Id]>(operations[id], options.handlers[id], options),
  });
  const added = (options.legacy?.added ?? []).map(({ operation, handlerFrom }) => ({
    operation,
    // The cast is safe: a listener with a dialect always has the handlers of all operations.
    handler: serveOperation(operation, handlerFrom(options.handlers as unknown as Handlers), options),
  }));
  const paths = new Map<string, Served[]>();
  for (const one of [...(Object.keys(options.handlers) as Id[]).map(served), ...added]) {
    const { path } = one.operation;
    paths.set(path, [...(paths.get(path) ?? []), one]);
  }
  for (const [path, all] of [...paths].toSorted(([left], [right]) => bySpecificity(left, right))) {
    const route = router.route(path);
    for (const { operation, handler } of all) route[verbs[operation.method]](handler);
    const methods = all.map(({ operation }) => operation.method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    // The operations of a path share the error format: a failure of a `raw` operation is sent in the envelope.
    const [kind = 'envelope'] = all.map(({ operation }) => operation.answer);
    const page = options.failurePage && { page: options.failurePage };
    route.all(otherMethods(allow, { ...plainForm, kind, ...page }, options));
  }
};

const verbs = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;
