// Resolves the execution or log named on the command line. @see docs/cli.md#executions
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { hasFailed } from '../executions/wait-for-outcome.ts';
import { ifFound } from './if-found.ts';
import { type Asker, ambiguous, findActor, ID_LENGTH, MOST_NAMED, resolveActor, wholeId } from './resolve-actor.ts';
import { newestExecutions } from './search-rows.ts';
import type { Actor, Execution } from './views.ts';

const noExecution = (reference: string): CliFailure =>
  new CliFailure('NOT_FOUND', `there is no execution "${reference}"`, {
    hint: 'actorctl executions list',
    details: { execution: reference },
  });

/** Finds an execution by its whole id, in one request. */
const findById = ({ call }: Pick<CommandContext, 'call'>, executionId: string): Promise<Execution | undefined> =>
  ifFound(call('executions.find', { params: { executionId } }));

const show = (
  { call }: Pick<CommandContext, 'call'>,
  actorId: string,
  executionId: string,
): Promise<Execution | undefined> => ifFound(call('executions.show', { params: { actorId, executionId } }));

const findExecution = async (context: Asker, reference: string): Promise<Execution | undefined> => {
  const [, owner = '', which] = /^(.*)@last(:failed)?$/.exec(reference) ?? [];
  if (/@last(?::failed)?$/.test(reference)) {
    const scope = owner === '' ? {} : { actorId: (await resolveActor(context, owner)).id };
    const rows = await newestExecutions(context, scope, which === undefined ? 1 : Number.MAX_SAFE_INTEGER);
    const row = which === undefined ? rows[0] : rows.find(hasFailed);
    return row === undefined ? undefined : show(context, row.actorId, row.id);
  }
  if (reference.includes('@'))
    throw usage(`"${reference}" is not a valid execution reference`, 'write @last, @last:failed or <actor>@last');
  const slash = reference.lastIndexOf('/');
  if (slash !== -1) {
    const actor = await resolveActor(context, reference.slice(0, slash));
    return show(context, actor.id, reference.slice(slash + 1));
  }
  const id = reference.startsWith('id:') ? reference.slice(3) : reference;
  if (wholeId.test(id)) return findById(context, id);
  if (!context.prompt.allowed || id.length >= ID_LENGTH || !/^[A-Za-z0-9]+$/.test(id)) return undefined;
  const begun = await newestExecutions(context, { conditions: { 'id.like': `^${id}` } }, MOST_NAMED);
  if (begun.length > 1)
    throw ambiguous(
      'executions',
      reference,
      begun.map((row) => row.id),
    );
  return begun[0] === undefined ? undefined : show(context, begun[0].actorId, begun[0].id);
};

/**
 * Finds an execution by `<id>`, `<actor>/<id>`, `@last`, `@last:failed`, `<actor>@last`, `<actor>@last:failed`, or, on
 * a terminal, by the beginning of its id.
 */
export const resolveExecution = async (context: Asker, reference: string): Promise<Execution> => {
  const execution = await findExecution(context, reference);
  if (execution === undefined) throw noExecution(reference);
  return execution;
};

/** Finds several executions, each once. */
export const resolveExecutions = async (
  context: Asker,
  references: readonly string[],
): Promise<readonly Execution[]> => {
  const found = await Promise.all(references.map((reference) => resolveExecution(context, reference)));
  return [...new Map(found.map((execution) => [execution.id, execution])).values()];
};

export type LogTarget =
  | { readonly kind: 'actor'; readonly actor: Actor }
  | { readonly kind: 'execution'; readonly execution: Execution };

/**
 * Finds an actor or an execution. The order of the two look-ups does not affect the result, because an actor and an
 * execution never have the same id. A complete id is looked up as an execution first; with a nonce only actors can be
 * found.
 * @throws CliFailure NOT_FOUND if it is neither: an empty log would hide the mistake
 * @see docs/cli.md#executions
 */
export const resolveLogTarget = async (
  context: Asker & Pick<CommandContext, 'settings'>,
  reference: string,
): Promise<LogTarget> => {
  if (/[@/]/.test(reference)) return { kind: 'execution', execution: await resolveExecution(context, reference) };
  const asExecution = async (): Promise<LogTarget | undefined> => {
    const execution = await findExecution(context, reference);
    return execution && { kind: 'execution', execution };
  };
  const asActor = async (): Promise<LogTarget | undefined> => {
    const actor = await findActor(context, reference);
    return actor && { kind: 'actor', actor };
  };
  const executionFirst = wholeId.test(reference) && context.settings.nonce === undefined;
  const found = executionFirst
    ? ((await asExecution()) ?? (await asActor()))
    : ((await asActor()) ?? (await asExecution()));
  if (found !== undefined) return found;
  throw new CliFailure('NOT_FOUND', `there is no actor or execution "${reference}"`, {
    hint: 'actorctl executions list',
    details: { reference },
  });
};
