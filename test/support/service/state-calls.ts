// Requests about states, with bodies sent exactly as written.
import type { ActorService, Name } from './actor-service.ts';
import type { Answer, Call } from './call.ts';

/** The path of a state. */
export const at = (actor: string, rest = ''): string => `/actors/v2/${actor}/state${rest}`;

/** A JSON body, exactly as written. */
export const sent = (text: string, headers = {}): Call => ({
  body: text,
  headers: { 'content-type': 'application/json', ...headers },
});

/** The requests to one service, which may start later. */
export const stateCalls = (service: () => ActorService) => ({
  get: (actor: string, as: Name = 'ana'): Promise<Answer> => service().ask(as, 'GET', at(actor)),
  set: (actor: string, text: string, headers = {}, as: Name = 'ana'): Promise<Answer> =>
    service().ask(as, 'POST', at(actor), sent(text, headers)),
  stateful: (fields = {}): Promise<string> => service().actor('ana', { stateless: false, ...fields }),
});
