// What tests of states ask of the service, with the body letter by letter.
import type { ActorService, Name } from './actor-service.ts';
import type { Answer, Call } from './call.ts';

/** The path of a state. */
export const at = (actor: string, rest = ''): string => `/actors/v2/${actor}/state${rest}`;

/** A body of JSON as it is written. */
export const sent = (text: string, headers = {}): Call => ({
  body: text,
  headers: { 'content-type': 'application/json', ...headers },
});

/** The calls to one service, which may not be there yet. */
export const stateCalls = (service: () => ActorService) => ({
  get: (actor: string, as: Name = 'ana'): Promise<Answer> => service().ask(as, 'GET', at(actor)),
  set: (actor: string, text: string, headers = {}, as: Name = 'ana'): Promise<Answer> =>
    service().ask(as, 'POST', at(actor), sent(text, headers)),
  stateful: (fields = {}): Promise<string> => service().actor('ana', { stateless: false, ...fields }),
});
