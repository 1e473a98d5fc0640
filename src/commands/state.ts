// `state`: what a stateful actor keeps from one execution to the next: get, history, diff, restore, clear, watch; and what changes it.
import type { Context } from '../context.ts';
import { CliFailure, usage } from '../failure.ts';
import { prettyJson } from '../ui/format/json-text.ts';
import { command, group } from './command.ts';
import { resolveExecution } from './identify.ts';
import { integer, required, text } from './option.ts';
import {
  nameOf,
  parseJson,
  readState,
  resolveStateful,
  type StateAt,
  type StateEntry,
  setState,
} from './state-access.ts';
import { patchBetween, unifiedDiff } from './state-change.ts';
import { edit, patch, set } from './state-edit.ts';
import { stateEntryView } from './state-view.ts';

/** Milliseconds between two looks of `watch`. */
const LOOK_MS = 1_000;
/** Exit code for differences. @see cli.md 4.1 */
const DIFFERENT = 12;

/** The names along `.a.b[0]["c.d"]`. @throws CliFailure USAGE */
const namesOf = (path: string): readonly string[] => {
  const steps = [...path.matchAll(/\.([^.[\]"\s]+)|\[(\d+)\]|\.?\["((?:[^"\\]|\\.)*)"\]/g)];
  if (path !== '.' && steps.map(([step]) => step).join('') !== path) {
    throw usage(`--path: '${path}' is no path`, 'write it like .count, .items[0].name or .["a.b"]');
  }
  return steps.map(([, name, index, quoted]) => name ?? index ?? String(JSON.parse(`"${quoted ?? ''}"`)));
};

const valueAt = (value: unknown, path: string): unknown =>
  namesOf(path).reduce<unknown>((inner, name) => {
    if (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)) return Reflect.get(inner, name);
    throw new CliFailure('NOT_FOUND', `the state has nothing at ${path}`, { details: { path } });
  }, value);

const get = command({
  name: 'get',
  aliases: ['show'],
  summary: 'Prints the state of an actor as JSON.',
  operations: ['state.show'],
  args: { actor: required('actor') },
  options: {
    path: text('--path <path>', 'only this part of it: .count, .items[0]'),
    version: integer('--version <n>', 'as it was in this version'),
  },
  examples: ['actorctl state get counter', 'actorctl state get counter --path .count'],
  run: async (context, { actor: reference }, { path, version }) => {
    const actor = await resolveStateful(context, reference);
    const { text: whole } = await readState(context, actor.id, version);
    const state: unknown = JSON.parse(whole);
    const value = path === undefined ? state : valueAt(state, path);
    const shown = path === undefined ? prettyJson(whole) : JSON.stringify(value, null, 2);
    context.output.result(shown, value, shown);
    return 0;
  },
});

const history = command({
  name: 'history',
  aliases: ['versions'],
  summary: 'Lists the versions of a state that are kept: when each came, from whom, and how large it is.',
  operations: ['state.versions'],
  args: { actor: required('actor') },
  list: true,
  run: async (context, { actor: reference }) => {
    const actor = await resolveStateful(context, reference);
    context.output.rows(await context.call('state.versions', { params: { actorId: actor.id } }), stateEntryView);
    return 0;
  },
});

/** A version as a person writes it. @throws CliFailure USAGE */
const versionOf = (text: string, flag: string): number | undefined => {
  if (text === 'current') return undefined;
  const [, digits] = /^v?(\d{1,15})$/.exec(text) ?? [];
  if (digits === undefined) throw usage(`${flag} must be a version like v12, or current, not "${text}"`);
  return Number(digits);
};

/** The versions before and after an execution. @throws CliFailure NOT_FOUND when the history does not know it */
const aroundExecution = async (
  context: Context,
  actorId: string,
  reference: string,
): Promise<readonly [number, number]> => {
  const { id } = await resolveExecution(context, reference);
  const versions = await context.call('state.versions', { params: { actorId } });
  const own = versions.filter(({ executionId }) => executionId === id).map(({ version }) => version);
  if (own.length > 0) return [Math.min(...own) - 1, Math.max(...own)];
  throw new CliFailure('NOT_FOUND', `execution ${id} set no state that is still kept`, {
    hint: `actorctl state history ${actorId}`,
    details: { execution: id },
  });
};

interface Side {
  readonly name: string;
  readonly text: string;
}

const sideOf = ({ version, text }: StateAt): Side => ({ name: `v${version}`, text });

interface DiffOptions {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly execution: string | undefined;
  readonly file: string | undefined;
}

const sidesOf = async (context: Context, actorId: string, options: DiffOptions): Promise<readonly [Side, Side]> => {
  const { from, to, execution, file } = options;
  const at = async (version: number | undefined) => sideOf(await readState(context, actorId, version));
  if (execution !== undefined) {
    if (from ?? to ?? file) throw usage('--execution goes without --from, --to and --file');
    const [before, after] = await aroundExecution(context, actorId, execution);
    return [await at(before), await at(after)];
  }
  if (file !== undefined) {
    if (to !== undefined) throw usage('--file goes without --to: it is the other side');
    const content = (await context.read(file)).toString('utf8');
    parseJson(content, file === '-' ? 'stdin' : file);
    return [await at(versionOf(from ?? 'current', '--from')), { name: file, text: content }];
  }
  const after = await readState(context, actorId, versionOf(to ?? 'current', '--to'));
  return [await at(from === undefined ? Math.max(0, after.version - 1) : versionOf(from, '--from')), sideOf(after)];
};

const diff = command({
  name: 'diff',
  summary: 'Shows how two versions of a state differ, the last two when none is named; exit code 12 when they do.',
  operations: ['state.version'],
  args: { actor: required('actor') },
  options: {
    from: text('--from <version>', 'the earlier version; the one before --to when left out'),
    to: text('--to <version>', 'the later version; current when left out'),
    execution: text('--execution <execution>', 'before and after this execution'),
    file: text('-f, --file <path>', 'compare with the JSON of a file, - for stdin'),
  },
  examples: ['actorctl state diff counter --from v12', 'actorctl state diff counter --execution counter@last'],
  run: async (context, { actor: reference }, options) => {
    const { output } = context;
    const actor = await resolveStateful(context, reference);
    const [from, to] = await sidesOf(context, actor.id, options);
    const lines = await unifiedDiff(from, to, output.paint);
    const patch = await patchBetween(JSON.parse(from.text), JSON.parse(to.text));
    if (lines !== '' || output.machine) output.result(lines.trimEnd(), patch);
    return lines === '' ? 0 : DIFFERENT;
  },
});

const restore = command({
  name: 'restore',
  summary: 'Sets the state to what it was in an earlier version.',
  operations: ['state.restore'],
  args: { actor: required('actor'), version: required('version') },
  examples: ['actorctl state restore counter v12 --yes'],
  run: async (context, { actor: reference, version: given }) => {
    const { call, output, prompt } = context;
    const version = versionOf(given, 'the version');
    if (version === undefined) throw usage('the current version needs no restoring');
    const actor = await resolveStateful(context, reference);
    const { text: old } = await readState(context, actor.id, version);
    await prompt.confirm(`Set the state of ${nameOf(actor)} back to v${version}?`);
    const { stateVersion } = await call('state.restore', { params: { actorId: actor.id, version: String(version) } });
    output.result(
      `Restored v${version} as v${stateVersion}`,
      { actor_id: actor.id, version: stateVersion, restored: version, state: JSON.parse(old) },
      String(stateVersion),
    );
    return 0;
  },
});

const clear = command({
  name: 'clear',
  summary: 'Sets the state to {}; the earlier versions stay.',
  operations: ['state.set'],
  args: { actor: required('actor') },
  run: async (context, { actor: reference }) => {
    const actor = await resolveStateful(context, reference);
    await context.prompt.confirm(`Set the state of ${nameOf(actor)} to {}?`);
    const version = await setState(context, actor.id, '{}', undefined);
    context.output.result(
      `Cleared the state of ${nameOf(actor)}: v${version}`,
      { actor_id: actor.id, version, state: {} },
      String(version),
    );
    return 0;
  },
});

/** The versions behind `seen`, oldest first; of those that came and went between two looks nothing is left to show. */
const newerThan = async (context: Context, actorId: string, seen: number): Promise<readonly StateEntry[]> => {
  const entries = await context.call('state.versions', { params: { actorId } });
  return entries.filter(({ version }) => version > seen).reverse();
};

const isInterrupted = (context: Context, error: unknown): boolean =>
  context.signal.aborted && error instanceof CliFailure && error.code === 'CANCELLED';

const watch = command({
  name: 'watch',
  summary: 'Prints every change of a state as it comes, until it is interrupted.',
  operations: ['state.versions', 'state.version'],
  args: { actor: required('actor') },
  options: { max: integer('--max <n>', 'end after so many changes', { min: 1 }) },
  run: async (context, { actor: reference }, { max = Number.POSITIVE_INFINITY }) => {
    const { output } = context;
    const actor = await resolveStateful(context, reference);
    let before = await readState(context, actor.id);
    let shown = 0;
    try {
      output.note(`watching the state of ${nameOf(actor)}, now v${before.version}`);
      for (;;) {
        for (const { version } of await newerThan(context, actor.id, before.version)) {
          const after = await readState(context, actor.id, version);
          const by = after.executionId ?? after.updatedBy;
          const lines = await unifiedDiff(sideOf(before), sideOf(after), output.paint);
          await output.event(`v${version}  ${after.updatedAt}  ${by}\n${lines}`, {
            version,
            updated_at: after.updatedAt,
            updated_by: after.updatedBy,
            ...(after.executionId !== undefined && { execution_id: after.executionId }),
            patch: await patchBetween(JSON.parse(before.text), JSON.parse(after.text)),
            state: JSON.parse(after.text),
          });
          before = after;
          shown += 1;
          if (shown >= max) return 0;
        }
        await context.sleep(LOOK_MS);
      }
    } catch (error) {
      if (isInterrupted(context, error)) return 0;
      throw error;
    }
  },
});

/** `state` */
export const stateCommand = group(
  'state',
  { aliases: ['states'], summary: 'What a stateful actor keeps from one execution to the next.' },
  [get, set, patch, edit, diff, history, restore, clear, watch],
);
