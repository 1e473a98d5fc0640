// Handlers of messages: send (also synchronously), count, purge.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { DELIVERY_HEADER } from '../../../src/contract/actors/deliveries.ts';
import {
  DETAILS_LIMIT,
  IDEMPOTENCY_HEADER,
  IGNORED_VARIABLES_HEADER,
  MESSAGE_LIMIT,
} from '../../../src/contract/actors/messages.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { isFinal } from '../../domain/executions/execution-status.ts';
import {
  isSynchronous,
  type Message,
  messageTypes,
  queryMessageOf,
  variablesOf,
} from '../../domain/executions/message.ts';
import { Failure } from '../../domain/failure.ts';
import type { MessageRecord } from '../../domain/records/actor-records.ts';
import { JsonFile, JsonText } from '../../http/response/json-text.ts';
import { ANSWERED, type Handlers } from '../../http/route-handler.ts';
import type { StoredBody } from '../../ports/bodies.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { dropBodies } from '../purge-mailbox.ts';
import { answerResult } from '../results/routes.ts';
import { messageReceiver } from './body.ts';
import { type Accepted, messages } from './service.ts';

/** Response header with the id of the execution whose output is the body of the response to a synchronous message. */
const EXECUTION_ID_HEADER = 'x-execution-id';
/** Response header with the final status of that execution, because the raw body has no field for it. */
const EXECUTION_STATUS_HEADER = 'x-execution-status';

type MessagesOperation = 'messages.send' | 'messages.count' | 'messages.purge';

/**
 * Writes the log of a finished execution as text/plain. The original service sends text/html, which would run the
 * output of an actor as a script on this origin. No client depends on the content type.
 */
const answerLog = (response: ServerResponse, log: string, told: OutgoingHttpHeaders): void => {
  response.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...told,
  });
  response.end(log);
};

const isStored = (content: Message['content']): content is StoredBody =>
  typeof content === 'object' && 'sha256' in content;

/** @throws Failure VALIDATION */
export const idempotencyKeyOf = (header: string | readonly string[] | undefined): string | undefined => {
  if (header === undefined) return undefined;
  const key = String(header);
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Failure('VALIDATION', `${IDEMPOTENCY_HEADER} must be 1 to 255 visible ASCII characters without spaces.`, {
    field: IDEMPOTENCY_HEADER,
  });
};

export const ignoredView = (ignored: readonly string[]): { readonly ignored_variables?: string[] } =>
  ignored.length === 0 ? {} : { ignored_variables: [...ignored] };

const waitingView = ({ executionId, contentType, size, receivedAt, executor }: MessageRecord) => ({
  executionId,
  type: messageTypes[contentType],
  size,
  receivedAt: toWireTime(receivedAt),
  from: executor,
});

/** Makes the handlers. @see docs/http-api.md#messages */
export const messagesHandlers = (deps: ActorsDependencies): Handlers<MessagesOperation> => {
  const service = messages(deps);
  const addresses = createAddresses(deps.baseUrl);
  const receive = messageReceiver(deps.bodies, deps.messageLimit ?? MESSAGE_LIMIT);

  /** The message as repeated in the response. Large text is read from its file. */
  const echoOf = async ({ content, echo }: Message, response: ServerResponse): Promise<unknown> => {
    if (echo === 'none') return 'binary - omitted';
    if (isStored(content)) {
      const file = await deps.bodies.open(content.name);
      response.once('close', () => file.close());
      return new JsonFile(file.pieces, echo);
    }
    return echo === 'json' && typeof content === 'string' ? new JsonText(content) : content;
  };

  /** Resolves once the execution has ended or has a result. */
  const waitForEndOrResult = async (executionId: string, signal: AbortSignal): Promise<void> => {
    const enough = new AbortController();
    const any = AbortSignal.any([signal, enough.signal]);
    try {
      await Promise.race([deps.scheduler.finished(executionId, any), deps.results.waitForResult(executionId, any)]);
    } finally {
      enough.abort();
    }
  };

  /**
   * The oldest result. Undefined if the execution has ended without a result. Another client may take results at the
   * same time.
   */
  const firstResult = async (executionId: string, signal: AbortSignal): Promise<Buffer | undefined> => {
    for (;;) {
      await waitForEndOrResult(executionId, signal);
      const result = await deps.results.take(executionId);
      const status = deps.store.get('executions', executionId)?.status;
      if (result !== undefined || status === undefined || isFinal(status)) return result;
    }
  };

  /**
   * Responds with the first result, or with the log if there is none. The execution continues if the sender
   * disconnects.
   * @see docs/http-api.md#messages
   */
  const waitAndAnswer = async (
    { executionId, ignored }: Accepted,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> => {
    let result: Buffer | undefined;
    try {
      result = await firstResult(executionId, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      if (response.destroyed) return;
      response.setHeader(EXECUTION_ID_HEADER, executionId);
      throw new Failure(
        'SHUTTING_DOWN',
        `The daemon is stopping. The message was accepted. Ask for execution ${executionId} later.`,
      );
    }
    const status = deps.store.get('executions', executionId)?.status ?? 'CANCELLED';
    const told = {
      [EXECUTION_ID_HEADER]: executionId,
      [EXECUTION_STATUS_HEADER]: status,
      ...(ignored.length > 0 && { [IGNORED_VARIABLES_HEADER]: ignored.join(',') }),
    };
    if (result === undefined) answerLog(response, await deps.logs.read(executionId), told);
    else answerResult(response, result, told);
  };

  return {
    'messages.send': async (context) => {
      const { caller, actor, request, response, sentQuery: query } = context;
      // The query is checked before the body, so that an invalid query is refused without reading a large body.
      const variables = variablesOf(query);
      const synchronous = isSynchronous(query);
      const key = idempotencyKeyOf(request.headers[IDEMPOTENCY_HEADER]);
      const deliveryId = request.headers[DELIVERY_HEADER];
      const message = await receive(request, queryMessageOf(query), actor.dialect);
      let msg: unknown;
      try {
        await context.finishAuthorization();
        // The file is opened before the message is accepted, because the execution may end and delete it before the
        // response is sent.
        if (!synchronous) msg = await echoOf(message, response);
      } catch (error) {
        if (isStored(message.content)) await dropBodies(deps, [message.content.name]);
        throw error;
      }
      const accepted = await service.send(actor, caller, {
        message,
        variables,
        synchronous,
        key,
        ...(typeof deliveryId === 'string' && { deliveryId }),
      });
      if (synchronous) {
        await waitAndAnswer(accepted, response, context.signal());
        return ANSWERED;
      }
      const { executionId, ignored } = accepted;
      const _links = {
        self: addresses.execution(actor.id, executionId),
        owner: addresses.profile(caller.username),
        messages: addresses.messages(actor.id),
      };
      const { id, name, status, statusMessage } = actor;
      const takenBy = context.byName && { actor: { id, name, status, statusMessage } };
      const result = { executionId, msg, ...ignoredView(ignored), ...takenBy, _links };
      return { result, message: 'The request was successful.' };
    },

    'messages.count': ({ actor, query }) => ({
      result: {
        messages: service.count(actor.id),
        ...(query.details === true && { waiting: service.waiting(actor.id, DETAILS_LIMIT).map(waitingView) }),
        _links: { self: addresses.messages(actor.id), owner: addresses.profile(actor.owner) },
      },
      message: 'The request was successful.',
    }),

    'messages.purge': async ({ actor, query: { executionId } }) => {
      const purged = await (executionId === undefined
        ? service.purge(actor.id)
        : service.cancel(actor.id, executionId));
      const msg = `${purged} ${purged === 1 ? 'message' : 'messages'} purged.`;
      const _links = { self: addresses.messages(actor.id), owner: addresses.profile(actor.owner) };
      return { result: { msg, purged, _links }, message: 'The request was successful.' };
    },
  };
};
