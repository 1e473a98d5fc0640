// `state diff`: compares two versions of a state, or a version with a file.
import type { CommandContext } from '../../context.ts';
import { parseExact } from '../../contract/exact-json.ts';
import { CliFailure, usage } from '../../failure.ts';
import { sourceName, withoutMark } from '../../local/written-json.ts';
import { command } from '../framework/command.ts';
import { actorHere, text } from '../framework/option.ts';
import { resolveExecution } from '../framework/resolve-execution.ts';
import { parseJson, readState, resolveStateful, type StateAt } from './state-access.ts';
import { patchBetween, unifiedDiff } from './state-change.ts';

/** Exit code if there are differences. @see docs/cli.md#exit-codes */
const DIFFERENT = 12;

/** Parses a version: `12`, `v12` or `current` (undefined). */
export const versionOf = (text: string, flag: string): number | undefined => {
  if (text === 'current') return undefined;
  const [, digits] = /^v?(\d{1,15})$/.exec(text) ?? [];
  if (digits === undefined) throw usage(`${flag} must be a version like v12, or current, not "${text}"`);
  return Number(digits);
};

/** Returns the versions before and after an execution. @throws CliFailure NOT_FOUND if no stored version is from it */
const aroundExecution = async (
  context: CommandContext,
  actorId: string,
  reference: string,
): Promise<readonly [number, number]> => {
  const { id } = await resolveExecution(context, reference);
  const versions = await context.call('state.versions', { params: { actorId } });
  const own = versions.filter(({ executionId }) => executionId === id).map(({ version }) => version);
  if (own.length > 0) return [Math.min(...own) - 1, Math.max(...own)];
  throw new CliFailure('NOT_FOUND', `there is no stored state from execution ${id}`, {
    hint: `actorctl state history ${actorId}`,
    details: { execution: id },
  });
};

interface Side {
  readonly name: string;
  readonly text: string;
}

export const sideOf = ({ version, text }: StateAt): Side => ({ name: `v${version}`, text });

interface DiffOptions {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly execution: string | undefined;
  readonly file: string | undefined;
}

const sidesOf = async (
  context: CommandContext,
  actorId: string,
  options: DiffOptions,
): Promise<readonly [Side, Side]> => {
  const { from, to, execution, file } = options;
  const at = async (version: number | undefined) => sideOf(await readState(context, actorId, version));
  if (execution !== undefined) {
    if (from ?? to ?? file) throw usage('--execution cannot be used with --from, --to or --file');
    const [before, after] = await aroundExecution(context, actorId, execution);
    return [await at(before), await at(after)];
  }
  if (file !== undefined) {
    if (to !== undefined) throw usage('--file and --to cannot be used together');
    const content = withoutMark((await context.read(file)).toString('utf8'));
    parseJson(content, sourceName(file));
    return [await at(versionOf(from ?? 'current', '--from')), { name: file, text: content }];
  }
  const after = await readState(context, actorId, versionOf(to ?? 'current', '--to'));
  return [await at(from === undefined ? Math.max(0, after.version - 1) : versionOf(from, '--from')), sideOf(after)];
};

export const diff = command({
  name: 'diff',
  summary: 'Compare two versions of a state',
  details: 'Compares the last two versions by default. Exit code 12 if they differ.',
  operations: ['state.version'],
  args: { actor: actorHere },
  options: {
    from: text('--from <version>', 'earlier version (default: the one before --to)', 'version'),
    to: text('--to <version>', 'later version (default: current)', 'version'),
    execution: text('--execution <execution>', 'compare the versions before and after this execution', 'execution'),
    file: text('-f, --file <path>', 'compare with a JSON file, - for stdin', 'files'),
  },
  examples: ['actorctl state diff counter --from v12', 'actorctl state diff counter --execution counter@last'],
  run: async (context, { actor: reference }, options) => {
    const { output } = context;
    const actor = await resolveStateful(context, reference);
    const [from, to] = await sidesOf(context, actor.id, options);
    const lines = await unifiedDiff(from, to, output.paint);
    const patch = await patchBetween(parseExact(from.text), parseExact(to.text));
    if (lines !== '' || output.printsValue) output.report('', patch, undefined, lines);
    return lines === '' ? 0 : DIFFERENT;
  },
});
