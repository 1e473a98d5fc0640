// Creates requests and responses with the prototypes of Express, because changing the prototype of each one costs more
// than routing it.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The prototypes that Express sets on every request and response. Its types do not declare them. */
interface Prototypes {
  request: object;
  response: object;
}

/**
 * Classes for `http.createServer` whose instances already have the prototypes of `app`. Without them, a GET takes 0.50
 * instead of 0.23 ms of CPU time, because V8 never optimizes the code that handles the objects. Call it once per app.
 */
export const presetExpressPrototypes = (app: Express) => {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  const prototypes: Prototypes = app;
  Object.setPrototypeOf(AppRequest.prototype, prototypes.request);
  Object.setPrototypeOf(AppResponse.prototype, prototypes.response);
  prototypes.request = AppRequest.prototype;
  prototypes.response = AppResponse.prototype;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
};
