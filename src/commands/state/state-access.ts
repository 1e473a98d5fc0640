// Reads and sets the state of an actor as unchanged JSON text.
import type { CommandContext } from '../../context.ts';
import { KeptJson, parseExact } from '../../contract/exact-json.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure, usage } from '../../failure.ts';
import { jsonProblem, withoutMark } from '../../local/written-json.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import type { Actor } from '../framework/views.ts';
import { formatCounts, type PatchOperation, patchBetween } from './state-change.ts';

type Asker = Pick<CommandContext, 'call' | 'prompt'>;
export type StateEntry = ResultOf<Operations['state.versions']>[number];

/** A version of a state, with its JSON text as it was sent. */
export interface StateAt extends Omit<ResultOf<Operations['state.show']>, 'state'> {
  readonly text: string;
}

export const nameOf = ({ name, id }: Pick<Actor, 'id' | 'name'>): string => name || id;

/** Finds a stateful actor. @throws CliFailure ACTOR_STATELESS if it has no state, NOT_FOUND */
export const resolveStateful = async (context: Asker, reference: string): Promise<Actor> => {
  const actor = await resolveActor(context, reference);
  if (!actor.stateless) return actor;
  throw new CliFailure('ACTOR_STATELESS', `${nameOf(actor)}: actor is stateless.`, {
    hint: 'create a stateful actor: actorctl actors create IMAGE --stateful',
    details: { actor: actor.id },
  });
};

/** Reads the current state, or a version of it. @throws CliFailure NOT_FOUND if the version is not stored */
export const readState = async (
  { call }: Pick<CommandContext, 'call'>,
  actorId: string,
  version?: number,
): Promise<StateAt> => {
  const query = { as: 'text' };
  const { state, ...about } =
    version === undefined
      ? await call('state.show', { params: { actorId }, query })
      : await call('state.version', { params: { actorId, version: String(version) }, query });
  return { ...about, text: String(state) };
};

export const parseJson = (text: string, what: string): unknown => {
  const problem = jsonProblem(text);
  if (problem !== undefined) throw usage(`${what} is not JSON: ${problem}`);
  return parseExact(withoutMark(text));
};

export interface Change {
  readonly before: StateAt;
  readonly text: string;
  /** The new version; undefined in a dry run. */
  readonly version: number | undefined;
}

/** Sets the state and returns its new version. @throws CliFailure STALE_VERSION if the version is not `ifVersion` */
export const setState = async (
  { call }: Pick<CommandContext, 'call'>,
  actorId: string,
  text: string,
  ifVersion: number | undefined,
): Promise<number> => {
  const { stateVersion } = await call('state.set', {
    params: { actorId },
    bytes: Buffer.from(text),
    headers: { 'content-type': 'application/json', ...(ifVersion !== undefined && { 'if-match': `"${ifVersion}"` }) },
  });
  return stateVersion;
};

/** Prints a change: `state of counter: v13 -> v14 (+2 -0 ~1)`. */
export const tellChange = async (
  { output }: Pick<CommandContext, 'output'>,
  actor: Actor,
  { before, text, version }: Change,
) => {
  const state = new KeptJson(text);
  const patch: readonly PatchOperation[] = await patchBetween(parseExact(before.text), parseExact(text));
  const steps = `v${before.version} -> ${version === undefined ? `v${before.version + 1}, not sent` : `v${version}`}`;
  output.result(
    `state of ${nameOf(actor)}: ${steps} (${formatCounts(patch)})`,
    {
      ...(version === undefined && { dry_run: true }),
      actor_id: actor.id,
      version: version ?? before.version,
      previous_version: before.version,
      state,
      patch,
    },
    version === undefined ? undefined : String(version),
  );
};
