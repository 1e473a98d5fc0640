// Sends a request to both listeners of a service.
import type { ActorService } from './actor-service.ts';

/** Status and message of the responses: of the main listener, then of the one for programs of the hosted platform. */
export const statusAndMessage = async (
  service: Pick<ActorService, 'ask' | 'askLegacy'>,
  ...asked: Parameters<ActorService['ask']>
): Promise<readonly (readonly [status: number, message: unknown])[]> => {
  const answers = [await service.ask(...asked), await service.askLegacy(...asked)];
  return answers.map(({ status, json }) => [status, Reflect.get(Object(json), 'message')]);
};
