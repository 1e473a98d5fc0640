// Handlers of state: show, set, versions, version, restore.
import type { ServerResponse } from 'node:http';
import { STATE_LIMIT } from '../../../src/contract/actors/state.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { matchesOf, tagOf } from '../../domain/actors/state-match.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { StateRecord } from '../../domain/records/resource-records.ts';
import { JsonText } from '../../http/response/json-text.ts';
import type { Caller, Handlers } from '../../http/route-handler.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { actorView } from '../registry/view.ts';
import { withWebhookFor } from '../webhook-sight.ts';
import { readState } from './body.ts';
import { demandStateful, states } from './service.ts';

type StateOperation = 'state.show' | 'state.set' | 'state.versions' | 'state.version' | 'state.restore';

const versionDetails = ({ version, at, by, executionId }: StateRecord) => ({
  version,
  updatedAt: toWireTime(at),
  updatedBy: by,
  executionId,
});

const versionView = (state: StateRecord, as: 'value' | 'text' = 'value') => ({
  ...versionDetails(state),
  state: as === 'text' ? state.text : new JsonText(state.text),
});

/** Parses the version in a path. @throws Failure NOT_FOUND if it is not a number */
const versionOf = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure('NOT_FOUND', 'A version of a state is a number. The list of versions shows the stored versions.');
};

const setEntityTag = (response: ServerResponse, { version }: StateRecord): void => {
  response.setHeader('etag', tagOf(version));
};

/** Makes the handlers. @see docs/http-api.md#state */
export const stateHandlers = (deps: ActorsDependencies): Handlers<StateOperation> => {
  const service = states(deps);
  const addresses = createAddresses(deps.baseUrl);
  const limit = deps.stateLimit ?? STATE_LIMIT;

  const stateReply = (caller: Caller, actor: ActorRecord, state: StateRecord, response: ServerResponse) => {
    setEntityTag(response, state);
    return { ...actorView(withWebhookFor(deps.store, caller, actor), [state], addresses), stateVersion: state.version };
  };

  return {
    'state.show': ({ actor, query, response }) => {
      const state = service.current(actor);
      setEntityTag(response, state);
      return { result: versionView(state, query.as), message: 'State retrieved.' };
    },

    'state.set': async (context) => {
      const { actor, caller, request, response } = context;
      // Checked before the body is read, so that the response for a stateless actor does not depend on the body.
      // @see docs/http-api.md#state
      demandStateful(actor);
      const matches = matchesOf(request.headers['if-match']);
      const sent = await readState(request, limit);
      await context.finishAuthorization();
      const state = await service.set(actor, caller, sent, matches);
      return {
        result: stateReply(caller, actor, state, response),
        message: `State updated: version ${state.version}.`,
      };
    },

    'state.versions': ({ actor }) => ({
      result: service
        .versions(actor)
        .toReversed()
        .map((state) => ({ ...versionDetails(state), bytes: state.bytes })),
      message: 'Versions of the state retrieved.',
    }),

    'state.version': ({ actor, params, query, response }) => {
      const state = service.version(actor, versionOf(params.version));
      setEntityTag(response, state);
      return { result: versionView(state, query.as), message: 'State retrieved.' };
    },

    'state.restore': async ({ actor, caller, params, request, response }) => {
      demandStateful(actor);
      const matches = matchesOf(request.headers['if-match']);
      const version = versionOf(params.version);
      const state = await service.restore(actor, caller, version, matches);
      return {
        result: stateReply(caller, actor, state, response),
        message: `State of version ${version} restored as version ${state.version}.`,
      };
    },
  };
};
