// Handlers of events: list (also as a stream), show, emit, redeliver.
import { setMaxListeners } from 'node:events';
import { CURSOR } from '../../../src/contract/event-cursor.ts';
import type { QueryOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { Failure } from '../../domain/failure.ts';
import { mapMaybe } from '../../http/maybe-promise.ts';
import { openEventStream } from '../../http/response/event-stream.ts';
import { ANSWERED, type Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { asksForStream, resumePoint } from '../executions/log-stream.ts';
import { createEventLogs } from './log.ts';
import { events } from './service.ts';
import { tailEvents } from './tail.ts';
import { eventView } from './view.ts';

type EventsOperation = 'events.list' | 'events.show' | 'events.emit' | 'events.redeliver';

const listOnlyParameters = ['before', 'until', 'limit', 'order'] as const;

const refuseListParameters = (query: QueryOf<Operations['events.list']>): void => {
  const field = listOnlyParameters.find((name) => query[name] !== undefined);
  if (field === undefined) return;
  throw new Failure(
    'VALIDATION',
    `${field} is not allowed for a stream, which has no end. Leave it out, or ask for a list.`,
    {
      field,
    },
  );
};

/** @see docs/http-api.md#events */
export const eventsHandlers = (deps: ActorsDependencies): Handlers<EventsOperation> => {
  const logOf = createEventLogs(deps.store);
  const service = events(deps, logOf);
  return {
    'events.list': async ({ caller, query, request, response, signal: signalOf, reauthorize: proveAnew }) => {
      const signal = signalOf();
      if (!asksForStream(request)) {
        return { result: await service.list(caller, query, signal), message: 'Events retrieved.' };
      }
      refuseListParameters(query);
      const filter = service.filter(caller, query);
      const resumed = resumePoint(
        request,
        'a cursor or the id of an event. Leave it out to start at the present, or set after or since.',
        CURSOR,
      );
      const start = service.start(caller, query, resumed);
      // The stream, the reader and the log each add a listener to this signal.
      setMaxListeners(0, signal);
      const stream = openEventStream(response, signal);
      await tailEvents({
        log: logOf(caller.tenant),
        stream,
        start,
        filter: filter,
        reauthorize: () => mapMaybe(proveAnew(), (found) => found ?? caller),
        signal,
      });
      return ANSWERED;
    },

    'events.show': ({ caller, params }) => ({
      result: eventView(service.show(caller, params.eventNumber)),
      message: 'Event retrieved.',
    }),

    'events.emit': async ({ actor, caller, input }) => ({
      result: await service.emit(caller, actor.id, input),
      message: 'Event emitted.',
    }),

    'events.redeliver': async ({ caller, params, input: { to } }) => ({
      result: await service.redeliver(caller, params.eventNumber, to),
      message: `The event is being sent to the ${to} again.`,
    }),
  };
};
