// From what a person typed to the actor or execution that is meant. @see cli.md 4.1 "Identifying things"
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { hasFailed } from '../executions/wait-for-outcome.ts';
import { newestExecutions } from './search-rows.ts';
import type { Actor, Execution, ExecutionRow } from './views.ts';

/** Things named to who must choose between them. */
const MOST_NAMED = 5;
/** What every id of the service looks like. */
const wholeId = /^[A-Za-z][A-Za-z0-9]{12}$/;
const ID_LENGTH = 13;

type Asker = Pick<CommandContext, 'call' | 'prompt'>;

const isNotFound = (error: unknown): boolean => error instanceof CliFailure && error.code === 'NOT_FOUND';

/** The answer, or undefined where there is none. @throws CliFailure every other refusal */
const orNothing = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const noActor = (reference: string): CliFailure =>
  new CliFailure('NOT_FOUND', `there is no actor '${reference}'`, {
    hint: 'actorctl actors list',
    details: { actor: reference },
  });

const noExecution = (reference: string): CliFailure =>
  new CliFailure('NOT_FOUND', `there is no execution '${reference}'`, {
    hint: 'actorctl executions list',
    details: { execution: reference },
  });

const ambiguous = (kind: string, reference: string, ids: readonly string[]): CliFailure =>
  usage(`'${reference}' could be ${ids.length} ${kind}`, `name one by its id: ${ids.slice(0, MOST_NAMED).join(', ')}`);

/** `id:X` and `alias:X` say what X is; without either it may be anything. */
const forcedOf = (reference: string): { readonly kind: 'id' | 'alias' | undefined; readonly name: string } => {
  const [, kind, name = ''] = /^(id|alias):(.*)$/s.exec(reference) ?? [];
  if (kind === 'id' || kind === 'alias') return { kind, name };
  return { kind: undefined, name: reference };
};

/** The actor of that id or alias, then of that name, then on a terminal with that beginning of an id. */
const findActor = async ({ call, prompt }: Asker, reference: string): Promise<Actor | undefined> => {
  const { kind, name: id } = forcedOf(reference);
  if (id === '') throw usage('the actor must not be empty');
  // No alias looks like an id, so the look of a name tells which of the two the service would take it for.
  if (kind !== undefined && wholeId.test(id) !== (kind === 'id')) return undefined;
  const exact = await orNothing(call('actors.show', { params: { actorId: id } }));
  if (exact !== undefined || kind !== undefined) return exact;
  const actors = await call('actors.list');
  const named = actors.filter(({ name }) => name === reference);
  if (named.length > 1)
    throw ambiguous(
      'actors',
      reference,
      named.map((each) => each.id),
    );
  if (named[0] !== undefined) return named[0];
  // A script must not come to mean another actor because one more was made.
  if (!prompt.allowed || id.length >= ID_LENGTH) return undefined;
  const begun = actors.filter((each) => each.id.startsWith(id));
  if (begun.length > 1)
    throw ambiguous(
      'actors',
      reference,
      begun.map((each) => each.id),
    );
  return begun[0];
};

/**
 * The actor that is meant: by id or alias (`id:X` and `alias:X` force one), by exact name if only one has it, on a terminal
 * by a beginning of its id.
 * @throws CliFailure NOT_FOUND, USAGE when several could be meant
 */
export const resolveActor = async (context: Asker, reference: string): Promise<Actor> => {
  const actor = await findActor(context, reference);
  if (actor === undefined) throw noActor(reference);
  return actor;
};

/** What a message is sent to. */
export interface Receiver extends Pick<Actor, 'id' | 'name'> {
  /** Left out where a nonce is shown: to ask would take one of its uses. */
  readonly actor?: Actor;
}

/** The actor that is meant, or with a nonce what was typed: an id or an alias. @throws CliFailure as `resolveActor` */
export const resolveReceiver = async (
  context: Asker & Pick<CommandContext, 'settings'>,
  reference: string,
): Promise<Receiver> => {
  if (context.settings.nonce !== undefined) return { id: reference.replace(/^(?:id|alias):/, ''), name: '' };
  const actor = await resolveActor(context, reference);
  return { id: actor.id, name: actor.name, actor };
};

/** The executions of one actor, newest first. */
export const executionsOf = async (
  { call }: Pick<CommandContext, 'call'>,
  actorId: string,
): Promise<readonly ExecutionRow[]> => {
  const { executions } = await call('executions.list', { params: { actorId } });
  return executions.map((row) => ({ ...row, actorId })).reverse();
};

/** The execution of that id, whichever of the caller's actors it belongs to. */
const searchExecution = async (
  context: Pick<CommandContext, 'call'>,
  executionId: string,
): Promise<Execution | undefined> => {
  const [row] = await newestExecutions(context, { conditions: { id: executionId } }, 1);
  return row === undefined ? undefined : show(context, row.actorId, row.id);
};

const show = (
  { call }: Pick<CommandContext, 'call'>,
  actorId: string,
  executionId: string,
): Promise<Execution | undefined> => orNothing(call('executions.show', { params: { actorId, executionId } }));

const findExecution = async (context: Asker, reference: string): Promise<Execution | undefined> => {
  const [, owner = '', which] = /^(.*)@last(:failed)?$/.exec(reference) ?? [];
  if (/@last(?::failed)?$/.test(reference)) {
    const scope = owner === '' ? {} : { actorId: (await resolveActor(context, owner)).id };
    const rows = await newestExecutions(context, scope, which === undefined ? 1 : Number.MAX_SAFE_INTEGER);
    const row = which === undefined ? rows[0] : rows.find(hasFailed);
    return row === undefined ? undefined : show(context, row.actorId, row.id);
  }
  if (reference.includes('@'))
    throw usage(`'${reference}' is not an execution`, 'write @last, @last:failed or <actor>@last');
  const slash = reference.lastIndexOf('/');
  if (slash !== -1) {
    const actor = await resolveActor(context, reference.slice(0, slash));
    return show(context, actor.id, reference.slice(slash + 1));
  }
  const id = reference.startsWith('id:') ? reference.slice(3) : reference;
  if (wholeId.test(id)) return searchExecution(context, id);
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
 * The execution that is meant: `<id>`, `<actor>/<id>`, `@last`, `@last:failed`, `<actor>@last`, `<actor>@last:failed`, on a
 * terminal also a beginning of its id.
 * @throws CliFailure NOT_FOUND, USAGE when several could be meant
 */
export const resolveExecution = async (context: Asker, reference: string): Promise<Execution> => {
  const execution = await findExecution(context, reference);
  if (execution === undefined) throw noExecution(reference);
  return execution;
};

/** What `logs` may be asked for. */
export type LogTarget =
  | { readonly kind: 'actor'; readonly actor: Actor }
  | { readonly kind: 'execution'; readonly execution: Execution };

/**
 * The actor or execution that is meant.
 * @throws CliFailure NOT_FOUND when it is neither: an empty log would hide the mistake (cli.md R18)
 */
export const resolveLogTarget = async (context: Asker, reference: string): Promise<LogTarget> => {
  if (/[@/]/.test(reference)) return { kind: 'execution', execution: await resolveExecution(context, reference) };
  const actor = await findActor(context, reference);
  if (actor !== undefined) return { kind: 'actor', actor };
  const execution = await findExecution(context, reference);
  if (execution !== undefined) return { kind: 'execution', execution };
  throw new CliFailure('NOT_FOUND', `there is neither an actor nor an execution '${reference}'`, {
    hint: 'actorctl executions list',
    details: { reference },
  });
};
