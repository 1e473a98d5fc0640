// Handlers of results: take and post.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { RESULT_LIMIT } from '../../../src/contract/actors/results.ts';
import { Failure } from '../../domain/failure.ts';
import { readBody } from '../../http/request/body.ts';
import { ANSWERED, type Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { executions } from '../executions/service.ts';

export const answerResult = (
  response: ServerResponse,
  bytes: Uint8Array | undefined,
  headers: OutgoingHttpHeaders = {},
): void => {
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': bytes?.length ?? 0,
    // Headers that keep the browser from running an actor's output as a page of this origin.
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(bytes);
};

/** @see docs/http-api.md#executions */
export const resultsHandlers = (deps: ActorsDependencies): Handlers<'results.take' | 'results.post'> => {
  const { results } = deps;
  const service = executions(deps);
  return {
    'results.take': async ({ actor, params, request, response }): Promise<typeof ANSWERED> => {
      const { id } = service.show(actor.id, params.executionId);
      // The router sends HEAD requests to the GET handler, which must not take a result for them.
      answerResult(response, request.method === 'HEAD' ? undefined : await results.take(id));
      return ANSWERED;
    },

    'results.post': async (context) => {
      const { actor, caller, params, request } = context;
      const { id } = service.show(actor.id, params.executionId);
      if (caller.executionId !== id) {
        throw new Failure(
          'FORBIDDEN',
          'Only the execution itself can add results, with its own token (_svc_access_token). Levels and roles do not count.',
        );
      }
      const bytes = await readBody(request, RESULT_LIMIT);
      await context.finishAuthorization();
      return { result: { bytes: bytes.length, waiting: await results.put(id, bytes) }, message: 'Result added.' };
    },
  };
};
