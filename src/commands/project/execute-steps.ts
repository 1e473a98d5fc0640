// Executes the steps of a plan, one request after another, and records what belongs to the project.
import { inWordsOf } from '../../client/field-words.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf } from '../../failure.ts';
import { showWarnings } from '../actors/wait-until-ready.ts';
import { shareWith, unshareFrom } from '../configs/config-sharing.ts';
import { bodyOf, readConfig } from '../configs/config-value.ts';
import type { Actor } from '../framework/views.ts';
import type { Ledger } from './ledger.ts';
import type { CurrentState } from './plan/current-state.ts';
import { fileWords } from './plan/described.ts';
import { formatThing, type Target, type Thing } from './plan/desired-state.ts';
import { changingSteps, type Plan } from './plan/plan.ts';
import { type ProjectRecord, withEntry } from './plan/record.ts';
import type { Recorded, Step, Task } from './plan/tasks.ts';
import { formatPlanned } from './plan/words.ts';

type Asker = Pick<CommandContext, 'call' | 'request' | 'output' | 'signal'>;

/** Ids of the actors of a project, by their names in the file. */
type Ids = Map<string, string>;

const idOf = (ids: Ids, key: string): string => {
  const id = ids.get(key);
  if (id === undefined) throw new CliFailure('NOT_FOUND', `actor "${key}" does not exist yet`);
  return id;
};

const textOf = (ids: Ids, target: Target): string => (target.kind === 'actor' ? idOf(ids, target.name) : target.name);

interface Found {
  readonly actor?: Actor;
  readonly revision?: number;
}

const grant = async ({ call }: Asker, ids: Ids, task: Task & { readonly do: 'grant' }): Promise<void> => {
  const body = { user: task.user, level: task.level };
  const { kind, name } = task.on;
  if (kind === 'actor') await call('permissions.grant', { params: { actorId: idOf(ids, name) }, body });
  else if (kind === 'alias') await call('alias-permissions.grant', { params: { alias: name }, body });
  else await call('config-permissions.grant', { params: { configName: name }, body });
};

const writeConfig = async ({ call }: Asker, ids: Ids, task: Task & { readonly do: 'write-config' }): Promise<Found> => {
  const { name, text, secret, revision } = task;
  const actors = task.actors.map((target) => textOf(ids, target)).join(',');
  const { bytes, headers } = bodyOf({ name, valueText: text, actors, secret });
  const written =
    revision === undefined
      ? await call('configs.create', { bytes, headers })
      : await call('configs.update', {
          params: { configName: name },
          bytes,
          headers: { ...headers, 'if-match': `"${revision}"` },
        });
  return { revision: written.revision };
};

const perform = async (context: Asker, ids: Ids, task: Task): Promise<Found> => {
  const { call } = context;
  switch (task.do) {
    case 'create-actor': {
      const body = { ...task.body, ...(task.link && { link: textOf(ids, task.link) }) };
      const actor = await call('actors.create', { body }).then(showWarnings(context), inWordsOf(fileWords));
      ids.set(task.key, actor.id);
      return { actor };
    }
    case 'update-actor': {
      const body = { ...task.body, ...(task.link && { link: textOf(ids, task.link) }) };
      const headers = { 'if-match': `"${task.version}"` };
      const params = { actorId: idOf(ids, task.key) };
      const updating = call('actors.update', { params, headers, body });
      return { actor: await updating.then(showWarnings(context), inWordsOf(fileWords)) };
    }
    case 'delete-actor':
      await call('actors.delete', { params: { actorId: task.id }, ...(task.force && { query: { force: true } }) });
      return {};
    case 'create-alias':
      await call('aliases.create', { body: { alias: task.alias, actorId: textOf(ids, task.target) } });
      return {};
    case 'point-alias': {
      const body = { actorId: textOf(ids, task.target), ifActorId: task.from };
      await call('aliases.update', { params: { alias: task.alias }, body });
      return {};
    }
    case 'delete-alias':
      await call('aliases.delete', { params: { alias: task.alias } });
      return {};
    case 'write-config':
      return writeConfig(context, ids, task);
    case 'delete-config':
      await call('configs.delete', { params: { configName: task.name } });
      return {};
    case 'grant':
      await grant(context, ids, task);
      return {};
    case 'share':
      await shareWith(context, task.config, [idOf(ids, task.key)]);
      return {};
    case 'unshare':
      await unshareFrom(context, await readConfig(context, task.config), [idOf(ids, task.key)]);
      return {};
  }
};

const recordedAfter = (
  record: ProjectRecord,
  thing: Thing,
  recorded: Recorded,
  ids: Ids,
  revision: number | undefined,
): ProjectRecord => {
  const { kind, name } = thing;
  const entry = recorded === 'gone' ? undefined : recorded;
  if (kind === 'alias') return withEntry(record, 'aliases', name, entry && 'alias' in entry ? entry.alias : undefined);
  if (kind === 'config') {
    const config =
      entry && 'config' in entry ? { ...entry.config, ...(revision !== undefined && { revision }) } : undefined;
    return withEntry(record, 'configs', name, config);
  }
  const actor = entry && 'actor' in entry ? { ...entry.actor, id: idOf(ids, name) } : undefined;
  return withEntry(record, 'actors', name, actor);
};

const stopped = (project: string, steps: readonly Step[], done: number, error: unknown): unknown => {
  if (!(error instanceof CliFailure)) return error;
  const step = steps[done];
  const progress = `${done} of ${steps.length} changes of project "${project}" are done`;
  const failed = step === undefined ? '' : `, then cannot ${formatPlanned(step)}`;
  const message = error.code === 'CANCELLED' ? `interrupted: ${progress}` : `${progress}${failed}: ${messageOf(error)}`;
  const { hint } = error.extras;
  return new CliFailure(error.code, message, {
    ...error.extras,
    hint: `${hint === undefined ? '' : `${hint}; `}to continue from there, run the command again`,
    details: {
      ...error.extras.details,
      done: steps.slice(0, done).map(formatThing),
      left: steps.slice(done).map(formatThing),
    },
    cause: error,
  });
};

export interface Outcome {
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * The project record before the first step that changes something: it has an entry for each unchanged object, and none
 * for an object that no longer exists.
 */
export const settledRecord = ({ steps, gone }: Plan, present: CurrentState): ProjectRecord => {
  const ids: Ids = new Map([...present.actors].map(([key, { actor }]) => [key, actor.id]));
  const { claim: _claim, ...record } = present.record;
  const cleared = gone.reduce<ProjectRecord>(
    (before, thing) => recordedAfter(before, thing, 'gone', ids, undefined),
    record,
  );
  return steps
    .filter(({ action }) => action === 'unchanged')
    .reduce((before, step) => recordedAfter(before, step, step.recorded, ids, undefined), cleared);
};

/**
 * Executes a plan in order. After each step the record at the service says what belongs to the project, so that
 * an interrupted run can be repeated.
 * @throws CliFailure with the number of completed steps; the remaining steps were not begun
 */
export const executeSteps = async (
  context: Asker,
  project: string,
  plan: Plan,
  present: CurrentState,
  ledger: Ledger,
  onDone: (step: Step) => Promise<void>,
): Promise<Outcome> => {
  const steps = changingSteps(plan);
  const ids: Ids = new Map([...present.actors].map(([key, { actor }]) => [key, actor.id]));
  let done = 0;
  try {
    const { claim } = ledger.record();
    await ledger.save({ ...settledRecord(plan, present), ...(claim && { claim }) });
    for (const step of steps) {
      let revision: number | undefined;
      for (const task of step.tasks) {
        if (context.signal.aborted) throw new CliFailure('CANCELLED', 'interrupted');
        const found = await perform(context, ids, task);
        revision = found.revision ?? revision;
        // An actor is recorded before any other request for it, because its name alone does not show that it belongs
        // to the project.
        if (task.do === 'create-actor')
          await ledger.save(recordedAfter(ledger.record(), step, step.recorded, ids, revision));
      }
      await ledger.save(recordedAfter(ledger.record(), step, step.recorded, ids, revision));
      done += 1;
      const id = step.kind === 'actor' ? ids.get(step.name) : undefined;
      await onDone({ ...step, ...(id !== undefined && { id }) });
    }
  } catch (error) {
    throw stopped(project, steps, done, error);
  }
  return { ids };
};
