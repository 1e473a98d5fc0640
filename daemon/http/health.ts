// Public handlers: the health of the daemon and its OpenAPI document.
import { type OpenApiDocument, openApiDocument } from '../../src/contract/openapi.ts';
import { serviceOperations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import type { Handlers } from './route-handler.ts';

/** @see docs/http-api.md#addresses */
export const healthHandlers = (about: {
  readonly version: string;
  readonly instance: string;
  readonly baseUrl: () => string;
  readonly starting: () => boolean;
}): Handlers<'health.show' | 'openapi.show'> => {
  let document: OpenApiDocument | undefined;
  return {
    'health.show': () => {
      const { version, instance } = about;
      if (about.starting()) {
        const body = { status: 'starting', version, instance };
        throw new Failure('STARTING', 'The daemon is starting.', { retryAfter: 1, body });
      }
      return { result: { status: 'ok', version, instance }, message: 'The daemon is up.' };
    },
    'openapi.show': () => {
      document ??= openApiDocument(Object.values(serviceOperations), about.baseUrl());
      return { result: { ...document }, message: 'The OpenAPI document.' };
    },
  };
};
