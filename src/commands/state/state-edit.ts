// `state set`, `state patch` and `state edit`: change the state.
import type { CommandContext } from '../../context.ts';
import { exactText, KeptJson, parseExact } from '../../contract/exact-json.ts';
import { STATE_LIMIT } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { prettyJson } from '../../ui/format/json-text.ts';
import { command } from '../framework/command.ts';
import { dryRun } from '../framework/dry-run.ts';
import { actorHere, parsed, text } from '../framework/option.ts';
import type { Actor } from '../framework/views.ts';
import { parseJson, readState, resolveStateful, setState, tellChange } from './state-access.ts';
import { applyPatch, mergePatch } from './state-change.ts';

/** How often a patch is retried after a concurrent change. */
const ATTEMPTS = 20;

const ifVersion = parsed(
  '--if-version <n>',
  'set the state only if this is its current version: 12, v12',
  (value, name) => {
    const [, digits] = /^v?(\d{1,15})$/.exec(value) ?? [];
    if (digits === undefined) throw usage(`${name} must be a version like 12, not "${value}"`);
    return Number(digits);
  },
);

const isStale = (error: unknown): boolean => error instanceof CliFailure && error.code === 'STALE_VERSION';

/** Decodes UTF-8 text, because a state is stored as unchanged text. */
const textOf = (bytes: Uint8Array, name: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw usage(`${name} is not UTF-8 text`);
    throw error;
  }
};

const sentText = async (
  context: CommandContext,
  file: string | undefined,
  value: string | undefined,
): Promise<string> => {
  if ((file === undefined) === (value === undefined))
    throw usage('give either --value JSON or --file PATH (- for stdin)');
  const what = value !== undefined ? '--value' : file === '-' ? 'stdin' : (file ?? '');
  const content = value ?? textOf(await context.read(file ?? '-', STATE_LIMIT), what);
  parseJson(content, what);
  return content;
};

/** Refuses a stale version before sending, so that a dry run reports the same as a real run. */
const demandVersion = (actor: Actor, expected: number | undefined, current: number): void => {
  if (expected === undefined || expected === current) return;
  throw new CliFailure('STALE_VERSION', `the current version of the state is v${current}, not v${expected}`, {
    hint: `actorctl state diff ${actor.id}`,
    details: { version: current },
  });
};

export const set = command({
  name: 'set',
  summary: 'Set the state to a JSON value',
  operations: ['state.set'],
  args: { actor: actorHere },
  options: {
    file: text('-f, --file <path>', 'file with the JSON value, - for stdin', 'files'),
    value: text('--value <json>', 'the JSON value'),
    ifVersion,
    dryRun,
  },
  examples: [
    `actorctl state set counter --value '{"n":0}'`,
    'actorctl state set counter -f state.json --if-version 12',
  ],
  run: async (context, { actor: reference }, options) => {
    const content = await sentText(context, options.file, options.value);
    const actor = await resolveStateful(context, reference);
    const before = await readState(context, actor.id);
    demandVersion(actor, options.ifVersion, before.version);
    const version = options.dryRun ? undefined : await setState(context, actor.id, content, options.ifVersion);
    await tellChange(context, actor, { before, text: content, version });
    return 0;
  },
});

/** Computes the new state from the current one and sets it. Retries after a concurrent change. */
const rework = async (
  context: CommandContext,
  actor: Actor,
  options: { readonly ifVersion: number | undefined; readonly dryRun: boolean },
  make: (state: unknown) => Promise<unknown> | unknown,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const before = await readState(context, actor.id);
    demandVersion(actor, options.ifVersion, before.version);
    const content = exactText(await make(parseExact(before.text))) ?? 'null';
    try {
      const version = options.dryRun ? undefined : await setState(context, actor.id, content, before.version);
      await tellChange(context, actor, { before, text: content, version });
      return;
    } catch (error) {
      if (!isStale(error) || options.ifVersion !== undefined || attempt === ATTEMPTS) throw error;
    }
  }
};

export const patch = command({
  name: 'patch',
  summary: 'Change parts of the state',
  details: '--merge sets members (RFC 7386), --patch applies operations (RFC 6902). Concurrent changes are kept.',
  operations: ['state.show', 'state.set'],
  args: { actor: actorHere },
  options: {
    merge: text('--merge <json>', 'merge these members (RFC 7386), null removes one'),
    patch: text('--patch <json>', 'apply these operations (RFC 6902): [{"op":"add","path":"/n","value":1}]'),
    ifVersion,
    dryRun,
  },
  examples: [`actorctl state patch counter --merge '{"n":1,"old":null}'`],
  run: async (context, { actor: reference }, { merge, patch: operations, ...options }) => {
    if ((merge === undefined) === (operations === undefined)) throw usage('give either --merge JSON or --patch JSON');
    const given = merge ?? operations ?? '';
    const change = parseJson(given, merge === undefined ? '--patch' : '--merge');
    const actor = await resolveStateful(context, reference);
    await rework(context, actor, options, (state) =>
      merge === undefined ? applyPatch(state, change, actor.id) : mergePatch(state, change),
    );
    return 0;
  },
});

/** Opens the editor until the text is JSON. @throws CliFailure USAGE if it cannot prompt, CANCELLED if declined */
const written = async (
  { output, prompt }: CommandContext,
  draft: { readonly file: string; readonly edit: () => Promise<string> },
) => {
  for (;;) {
    const content = await draft.edit();
    try {
      parseJson(content, 'the edited text');
      return content;
    } catch (error) {
      if (!(error instanceof CliFailure) || !prompt.allowed) throw error;
      output.warn(error.message);
      await prompt.confirm('Open the editor again?');
    }
  }
};

export const edit = command({
  name: 'edit',
  summary: 'Edit the state in your editor',
  details: 'Uses the editor in VISUAL or EDITOR. The state is set when you close the editor.',
  operations: ['state.show', 'state.set'],
  args: { actor: actorHere },
  run: async (context, { actor: reference }) => {
    const { editor, output } = context;
    const actor = await resolveStateful(context, reference);
    const before = await readState(context, actor.id);
    const shown = `${prettyJson(before.text)}\n`;
    const draft = await (await editor()).draft(`state-${actor.id}.json`, shown);
    let content: string;
    let version: number | undefined;
    try {
      content = await written(context, draft);
      if (prettyJson(content) === prettyJson(before.text)) {
        await draft.discard();
        output.result('No changes', { actor_id: actor.id, version: before.version, state: new KeptJson(content) });
        return 0;
      }
      version = await setState(context, actor.id, content, before.version);
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      // The edited text stays in the file, so that no work is lost.
      throw new CliFailure(error.code, error.message, {
        ...error.extras,
        hint: `again with your text, saved in ${draft.file}`,
      });
    }
    await draft.discard();
    await tellChange(context, actor, { before, text: content, version });
    return 0;
  },
});
