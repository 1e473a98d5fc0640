// Handlers of executions: list, show, halt, rerun, logs.
import { IDEMPOTENCY_HEADER } from '../../../src/contract/actors/messages.ts';
import { writeCursor } from '../../../src/contract/event-cursor.ts';
import type { InputOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { storedFigures } from '../../domain/executions/stored-executions.ts';
import { heldReachOf } from '../../domain/executions/token-reach.ts';
import { waitReason } from '../../domain/executions/wait-reason.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, ExecutionRecord, KeptMessage } from '../../domain/records/actor-records.ts';
import { lastSerial } from '../../domain/records/next-serial.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import { parseJson } from '../../http/request/json.ts';
import { JsonList } from '../../http/response/json-text.ts';
import { ANSWERED, type Caller, type Handlers } from '../../http/route-handler.ts';
import type { ReadView } from '../../ports/store.ts';
import { maySeeMessage } from '../access.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { epochOf } from '../events/log.ts';
import { mapped } from '../mapped.ts';
import { idempotencyKeyOf, ignoredView } from '../messages/routes.ts';
import type { Author } from '../messages/service.ts';
import { messages } from '../messages/service.ts';
import { asksForStream, resumePoint, streamLog } from './log-stream.ts';
import { executions } from './service.ts';
import { createSettling, endedAfter, unfinishedOf } from './settling.ts';
import { executionRow, executionsSummary, executionView, messageView } from './view.ts';

/**
 * The sender of the original message, with that user's current roles. A rerun sets only variables that this sender may
 * set now. Otherwise a sender could repeat a variable that the owner has since withdrawn. An execution token has no
 * roles, and has the reach that its actor's tokens have now.
 */
const originalAuthor = (
  view: Pick<ReadView, 'get'>,
  { tenant, executor: username, cause }: Pick<ExecutionRecord, 'tenant' | 'executor' | 'cause'>,
): Author => {
  const origin = cause?.executionId;
  const user = origin === undefined ? view.get('users', joinKey(tenant, username)) : undefined;
  const sender = origin === undefined ? undefined : view.get('executions', origin);
  return {
    tenant,
    username,
    roles: user?.roles ?? [],
    ...(origin !== undefined && { reach: heldReachOf(view.get('actors', sender?.actorId ?? '')) }),
    ...(cause?.nonceId !== undefined && { nonceId: cause.nonceId }),
  };
};

/** @throws Failure VALIDATION */
const demandJson = (text: string): void => {
  try {
    parseJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure('VALIDATION', 'message.text is not JSON. Correct it, or send it with the type "text".', {
      field: 'message.text',
    });
  }
};

/** The message of a rerun: the edited one, or else the kept one. The variables are always those of the original. */
const messageToRerun = (
  { message: kept }: ExecutionRecord,
  edited: InputOf<Operations['executions.rerun']>['message'],
): KeptMessage => {
  if (edited === undefined) {
    if (kept !== undefined) return kept;
    throw new Failure(
      'MESSAGE_NOT_KEPT',
      'The message of this execution was not stored: it is binary, too long, or older than this feature. Send it again.',
    );
  }
  const { type, text } = edited;
  if (type === 'json') demandJson(text);
  return { contentType: type === 'json' ? 'application/json' : 'str', text, variables: kept?.variables ?? {} };
};

type ExecutionsOperation =
  | 'executions.list'
  | 'executions.show'
  | 'executions.find'
  | 'executions.halt'
  | 'executions.settle'
  | 'executions.settleAll'
  | 'executions.rerun'
  | 'executions.logs';

/** @see docs/http-api.md#executions */
export const executionsHandlers = (deps: ActorsDependencies): Handlers<ExecutionsOperation> => {
  const service = executions(deps);
  const settling = createSettling(deps);
  const mailbox = messages(deps);
  const addresses = createAddresses(deps.baseUrl);
  /** Adds to an execution that has not ended what holds it up. */
  const explained = (actor: ActorRecord, execution: ExecutionRecord): ExecutionRecord => {
    const facts = { disk: deps.store.status().reason, standing: deps.scheduler.standingOf(execution) };
    const statusMessage = waitReason(execution, actor, facts);
    return statusMessage === undefined ? execution : { ...execution, statusMessage };
  };
  const shown = async (actor: ActorRecord, caller: Caller, stored: ExecutionRecord) => {
    const execution = explained(actor, stored);
    const sent = maySeeMessage(actor, caller) ? messageView(execution) : {};
    const logLeftOut = await deps.logs.leftOut(execution.id);
    return {
      result: {
        ...executionView(execution, addresses, deps.clock.now()),
        ...(logLeftOut !== undefined && { logLeftOut }),
        ...sent,
      },
      message: 'Execution retrieved.',
    };
  };
  return {
    // A request with query parameters is a search, which ../search/routes.ts handles.
    'executions.list': ({ actor, signal }) => {
      const rows = new JsonList(mapped(service.list(actor.id), executionRow), signal());
      const totals = storedFigures(deps.store, actor.id, deps.clock.now());
      return { result: executionsSummary(actor, rows, totals, addresses), message: 'Executions retrieved.' };
    },

    'executions.show': ({ actor, caller, params }) => shown(actor, caller, service.show(actor.id, params.executionId)),

    'executions.find': ({ caller, params }) => {
      const { actor, execution } = service.find(caller, params.executionId);
      return shown(actor, caller, execution);
    },

    'executions.halt': async ({ actor, params, query: { grace } }) => {
      await service.halt(actor.id, params.executionId, grace === undefined ? undefined : grace * 1_000);
      return { result: null, message: `Issued force quit command for execution ${params.executionId}.` };
    },

    'executions.settle': (context) => {
      const record = service.show(context.actor.id, context.params.executionId);
      return settling(context, [{ kind: 'execution', record }]);
    },

    'executions.settleAll': async (context) => {
      const { caller, query } = context;
      const reply = await settling(context, [
        ...unfinishedOf(deps.store, caller),
        ...endedAfter(deps.store, caller, query.after),
      ]);
      const next = writeCursor(epochOf(deps.store), lastSerial(deps.store, caller.tenant, 'events'));
      return { ...reply, result: { ...reply.result, next } };
    },

    'executions.rerun': async ({ actor, caller, params, input, request }) => {
      const key = idempotencyKeyOf(request.headers[IDEMPOTENCY_HEADER]);
      const original = service.show(actor.id, params.executionId);
      const { id: rerunOf } = original;
      const { contentType, text, variables } = messageToRerun(original, input.message);
      const again = { contentType, content: text, echo: 'none' } as const;
      const author = originalAuthor(deps.store, original);
      const sent = { message: again, variables, author, rerunOf, synchronous: false, key };
      const { executionId, ignored } = await mailbox.send(actor, caller, sent);
      const _links = { self: addresses.execution(actor.id, executionId), owner: addresses.profile(caller.username) };
      return {
        result: { executionId, rerunOf, ...ignoredView(ignored), _links },
        message: 'The request was successful.',
      };
    },

    'executions.logs': async (context) => {
      const { actor, params, request, response } = context;
      const execution = service.show(actor.id, params.executionId);
      if (asksForStream(request)) {
        const { reauthorize: prove } = context;
        const signal = context.signal();
        await streamLog(
          { service, executionId: execution.id, reauthorize: prove, signal },
          resumePoint(request, 'the id of a line of this log. Leave it out to start at the first line.'),
          response,
        );
        return ANSWERED;
      }
      const _links = {
        self: addresses.logs(actor.id, execution.id),
        owner: addresses.profile(actor.owner),
        execution: addresses.execution(actor.id, execution.id),
      };
      return { result: { logs: await deps.logs.read(execution.id), _links }, message: 'Logs retrieved.' };
    },
  };
};
