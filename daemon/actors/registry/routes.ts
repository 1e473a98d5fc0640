// Handlers of actors: create, list, show, update, delete.
import { jsonMember } from '../../../src/contract/json-scanner.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { loopedAmong, receiverOf } from '../../domain/events/emission.ts';
import { actorWarnings } from '../../domain/executions/run-warnings.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { expectedVersion } from '../../http/request/if-match.ts';
import { parseJson } from '../../http/request/json.ts';
import type { Caller, HandlerBase, Handlers } from '../../http/route-handler.ts';
import { canRead } from '../access.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { webhookProblemOf, withWebhookFor } from '../webhook-sight.ts';
import { registry } from './service.ts';
import { actorView } from './view.ts';

type RegistryOperation = 'actors.create' | 'actors.list' | 'actors.show' | 'actors.update' | 'actors.delete';

/**
 * JSON text of the state as sent, because the parsed value has rounded numbers. In a form or a query, the state is
 * already text.
 * @throws Failure MALFORMED_BODY if text is nested too deep
 * @see docs/http-api.md#state
 */
const stateTextOf = ({
  sentInput: { state: sent },
  bodyText,
}: Pick<HandlerBase<Operation>, 'sentInput' | 'bodyText'>): string | undefined => {
  if (sent === undefined) return undefined;
  if (typeof sent !== 'string') return jsonMember(bodyText() ?? '', 'state');
  parseJson(Buffer.from(sent));
  return sent;
};

/** Makes the handlers. @see docs/http-api.md#actors */
export const registryHandlers = (deps: ActorsDependencies): Handlers<RegistryOperation> => {
  const service = registry(deps);
  const addresses = createAddresses(deps.baseUrl);
  const view = (caller: Caller) => (actor: ActorRecord) =>
    actorView(withWebhookFor(deps.store, caller, actor), deps.store.by('states', 'actor', actor.id), addresses);
  const withWarnings = async (caller: Caller, actor: ActorRecord) => {
    const warnings = actorWarnings(actor, await deps.scheduler.means(actor.image));
    return { ...view(caller)(actor), ...(warnings.length > 0 && { warnings: [...warnings] }) };
  };
  const detailed = (caller: Caller, looped: ReadonlySet<string>) => (actor: ActorRecord) => {
    const { executions, newest } = service.figures(actor);
    const receiver = receiverOf(deps.store, actor, looped);
    const aliases = deps.store.by('aliases', 'actor', actor.id).filter((alias) => canRead(alias, caller));
    const webhookProblem = webhookProblemOf(deps.store, caller, actor);
    return {
      ...view(caller)(actor),
      aliases: aliases.map(({ alias }) => alias),
      ...(receiver !== undefined &&
        ('problem' in receiver ? { linkProblem: receiver.problem } : { linkedActor: receiver.id })),
      ...(webhookProblem !== undefined && { webhookProblem }),
      totalExecutions: executions,
      ...(newest !== undefined && { lastExecutionTime: toWireTime(newest.startedAt ?? newest.receivedAt) }),
    };
  };
  return {
    'actors.create': async (context) => {
      const { caller, input, dialect } = context;
      const made = await service.create(caller, { ...input, state: stateTextOf(context) }, dialect);
      return { result: await withWarnings(caller, made), message: 'Actor created.' };
    },

    'actors.list': ({ caller, query: { details } }) => {
      const actors = service.list(caller);
      const shown = details === true ? detailed(caller, loopedAmong(deps.store, actors)) : view(caller);
      return { result: actors.map(shown), message: 'Actors retrieved.' };
    },

    'actors.show': ({ actor, caller }) => ({ result: view(caller)(actor), message: 'Actor retrieved.' }),

    'actors.update': async (context) => {
      const { caller, actor, input, request } = context;
      const updated = await service.update(
        caller,
        actor.id,
        { ...input, state: stateTextOf(context) },
        expectedVersion(request),
      );
      const message =
        updated.revision === actor.revision ? 'Actor updated.' : `Actor updated: revision ${updated.revision}.`;
      return { result: await withWarnings(caller, updated), message };
    },

    'actors.delete': async ({ actor, query, dialect }) => {
      // Programs of the hosted platform expect a deletion to end running executions.
      await service.remove(actor.id, query.force ?? dialect === 'legacy');
      return { result: null, message: 'Actor deleted.' };
    },
  };
};
