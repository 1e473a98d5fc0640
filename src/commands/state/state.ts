// `state`: get, history, restore, clear and watch; the other verbs have their own files.
import type { CommandContext } from '../../context.ts';
import { KeptJson, parseExact } from '../../contract/exact-json.ts';
import { fields } from '../../contract/for-client.ts';
import { jsonItems, jsonMember } from '../../contract/json-scanner.ts';
import { CliFailure, usage } from '../../failure.ts';
import { prettyJson } from '../../ui/format/json-text.ts';
import type { View } from '../../ui/format/view.ts';
import { stripControl } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { actorHere, integer, required, text } from '../framework/option.ts';
import { followTimeout, withTimeout } from '../framework/time-limit.ts';
import { nameOf, parseJson, readState, resolveStateful, type StateEntry, setState } from './state-access.ts';
import { patchBetween, unifiedDiff } from './state-change.ts';
import { diff, sideOf, versionOf } from './state-diff.ts';
import { edit, patch, set } from './state-edit.ts';

const stateEntryView: View<StateEntry> = {
  id: ({ version }) => String(version),
  fields: fields.stateEntry,
  columns: [
    { header: 'VERSION', value: ({ version }) => `v${version}` },
    { header: 'WHEN', value: ({ updatedAt }) => updatedAt, kind: 'time' },
    { header: 'BY', value: ({ executionId, updatedBy }) => executionId ?? updatedBy, role: 'id' },
    { header: 'SIZE', value: ({ bytes }) => bytes, kind: 'bytes' },
    { header: 'USER', value: ({ updatedBy }) => updatedBy, wide: true },
  ],
};

/** Milliseconds between two polls of `watch`. */
const POLL_MS = 1_000;

/** Parses a path such as `.a.b[0]["c.d"]` into names. */
const namesOf = (path: string): readonly string[] => {
  const steps = [...path.matchAll(/\.([^.[\]"\s]+)|\[(\d+)\]|\.?\["((?:[^"\\]|\\.)*)"\]/g)];
  if (path !== '.' && steps.map(([step]) => step).join('') !== path) {
    throw usage(`--path: "${path}" is not a valid path`, 'write it like .count, .items[0].name or .["a.b"]');
  }
  return steps.map(([, name, index, quoted]) => name ?? index ?? String(parseJson(`"${quoted}"`, '--path')));
};

/** Returns the JSON text at a path, unchanged. */
const textAt = (whole: string, path: string): string =>
  namesOf(path).reduce((text, name) => {
    const inner = /^\d+$/.test(name) ? jsonItems(text)?.[Number(name)] : undefined;
    const found = inner ?? jsonMember(text, name);
    if (found !== undefined) return found;
    throw new CliFailure('NOT_FOUND', `the state has no value at ${path}`, { details: { path } });
  }, whole);

const get = command({
  name: 'get',
  aliases: ['show'],
  summary: 'Print the state of an actor as JSON',
  operations: ['state.show'],
  args: { actor: actorHere },
  options: {
    path: text('--path <path>', 'print only this part: .count, .items[0]'),
    version: { ...integer('--version <n>', 'print this version'), completes: 'version' },
  },
  examples: ['actorctl state get counter', 'actorctl state get counter --path .count'],
  run: async (context, { actor: reference }, { path, version }) => {
    const actor = await resolveStateful(context, reference);
    const { text: whole } = await readState(context, actor.id, version);
    const part = path === undefined ? whole : textAt(whole, path);
    const shown = prettyJson(part);
    context.output.report(shown, new KeptJson(part), shown);
    return 0;
  },
});

const history = command({
  name: 'history',
  aliases: ['versions'],
  summary: 'List the stored versions of a state',
  operations: ['state.versions'],
  args: { actor: actorHere },
  list: true,
  run: async (context, { actor: reference }) => {
    const actor = await resolveStateful(context, reference);
    context.output.rows(await context.call('state.versions', { params: { actorId: actor.id } }), stateEntryView);
    return 0;
  },
});

const restore = command({
  name: 'restore',
  summary: 'Restore an earlier version of the state',
  operations: ['state.restore'],
  args: { actor: required('actor', 'actor'), version: required('version', 'version') },
  examples: ['actorctl state restore counter v12 --yes'],
  run: async (context, { actor: reference, version: given }) => {
    const { call, output, prompt } = context;
    const version = versionOf(given, 'the version');
    if (version === undefined) throw usage('cannot restore the current version');
    const actor = await resolveStateful(context, reference);
    const { text: old } = await readState(context, actor.id, version);
    await prompt.confirm(`Restore the state of ${nameOf(actor)} to v${version}?`);
    const { stateVersion } = await call('state.restore', { params: { actorId: actor.id, version: String(version) } });
    output.result(
      `Restored v${version} as v${stateVersion}`,
      { actor_id: actor.id, version: stateVersion, restored: version, state: new KeptJson(old) },
      String(stateVersion),
    );
    return 0;
  },
});

const clear = command({
  name: 'clear',
  summary: 'Clear the state (earlier versions are kept)',
  operations: ['state.set', 'state.show'],
  args: { actor: actorHere },
  run: async (context, { actor: reference }) => {
    const actor = await resolveStateful(context, reference);
    const before = await readState(context, actor.id);
    if (before.text === '{}') {
      const value = { actor_id: actor.id, version: before.version, state: {} };
      context.output.result(`The state of ${nameOf(actor)} was empty`, value, String(before.version));
      return 0;
    }
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

/** Returns the versions after `seen`, oldest first. Versions that were deleted between two polls are missing. */
const newerThan = async (
  { call }: Pick<CommandContext, 'call'>,
  actorId: string,
  seen: number,
): Promise<readonly StateEntry[]> => {
  const entries = await call('state.versions', { params: { actorId } });
  return entries.filter(({ version }) => version > seen).reverse();
};

const isInterrupted = (context: CommandContext, error: unknown): boolean =>
  context.signal.aborted && error instanceof CliFailure && error.code === 'CANCELLED';

/** Prints changes of the state. Returns undefined when its signal aborts. */
const watchState = async (context: CommandContext, reference: string, max: number): Promise<0 | undefined> => {
  const { output } = context;
  const actor = await resolveStateful(context, reference);
  let before = await readState(context, actor.id);
  const following = { call: context.retryingCall() };
  let shown = 0;
  try {
    output.watchReader();
    output.note(`watching the state of ${nameOf(actor)}, now v${before.version}`);
    for (;;) {
      for (const { version } of await newerThan(following, actor.id, before.version)) {
        const after = await readState(following, actor.id, version);
        const by = after.executionId ?? after.updatedBy;
        const lines = await unifiedDiff(sideOf(before), sideOf(after), output.paint);
        const head = stripControl(`v${version}  ${after.updatedAt}  ${by}`);
        const value = {
          version,
          updated_at: after.updatedAt,
          updated_by: after.updatedBy,
          ...(after.executionId !== undefined && { execution_id: after.executionId }),
          patch: await patchBetween(parseExact(before.text), parseExact(after.text)),
          state: new KeptJson(after.text),
        };
        await output.event('', value, `${head}\n${lines}`);
        before = after;
        shown += 1;
        if (shown >= max) return 0;
      }
      await context.sleep(POLL_MS);
    }
  } catch (error) {
    if (isInterrupted(context, error)) return undefined;
    throw error;
  }
};

const watch = command({
  name: 'watch',
  summary: 'Print every change of a state',
  details: 'Continues until it is interrupted.',
  operations: ['state.versions', 'state.version'],
  args: { actor: actorHere },
  options: { max: integer('--max <n>', 'exit after this many changes', { min: 1 }), timeout: followTimeout },
  run: async (context, { actor }, { max = Number.POSITIVE_INFINITY, timeout }) => {
    const limit = { timeout, goesOn: 'the state may still change' };
    return (await withTimeout(context, limit, (within) => watchState(within, actor, max))) ?? 0;
  },
});

export const stateCommand: readonly LeafEntry[] = [get, set, patch, edit, diff, history, restore, clear, watch];
