// Serves files that runs fetch once. The secret in the path grants the access.
import { pipeline } from 'node:stream/promises';
import { Failure } from '../domain/failure.ts';
import type { OfferedFiles } from '../ports/file-offers.ts';
import type { Logger } from '../ports/logger.ts';
import { plainForm } from './response/answer.ts';
import { answerThrown, type RouteHandler } from './serve-operation.ts';

/** Route pattern, which is logged instead of the path. */
export const ONE_TIME_FILES = '/one-time-files/:ref/:secret';

export const serveOneTimeFiles =
  (files: OfferedFiles, logger: Logger): RouteHandler =>
  async (request, response) => {
    response.locals.exchange.route = ONE_TIME_FILES;
    try {
      const file =
        request.method === 'GET'
          ? await files.take(param(request.params['ref']), param(request.params['secret']))
          : undefined;
      if (file === undefined)
        throw new Failure(
          'NOT_FOUND',
          'There is no such file, or it was already fetched. Each file can be fetched once.',
        );
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': file.size,
        'cache-control': 'no-store',
      });
      await pipeline(file.content, response).catch((error: unknown) =>
        logger.warn({ error }, 'a run did not fetch its whole file'),
      );
    } catch (error) {
      answerThrown(request, response, plainForm, error, logger);
    }
  };

const param = (value: unknown): string => (typeof value === 'string' ? value : '');
