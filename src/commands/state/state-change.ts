// Changes of JSON values: merge patch (RFC 7386), JSON patch (RFC 6902), and how differences are shown.
import { ExactNumber } from '../../contract/exact-json.ts';
import { usage } from '../../failure.ts';
import type { Paint } from '../../ui/color.ts';
import { compareJson, escapeUnsafe, toJson } from '../../ui/format/json.ts';
import { prettyJson } from '../../ui/format/json-text.ts';
import { stripControl } from '../../ui/text.ts';

type Json = unknown;
/** An operation of RFC 6902. */
export type PatchOperation = Readonly<Record<string, unknown>> & { readonly op: string; readonly path: string };

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

const mapped = (value: Json, change: (each: Json) => Json): Json => {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)]));
};

/** The library copies and compares plain JSON only. The tab keeps numbers and texts apart. */
const forLibrary = (value: Json): Json =>
  mapped(value, (each) =>
    each instanceof ExactNumber
      ? `\tn${each.text}`
      : typeof each === 'string' && each.startsWith('\t')
        ? `\tt${each}`
        : each,
  );

const fromLibrary = (value: Json): Json =>
  mapped(value, (each) => {
    if (typeof each !== 'string' || !each.startsWith('\t')) return each;
    return each.startsWith('\tn') ? new ExactNumber(each.slice(2)) : each.slice(2);
  });

/**
 * Applies a merge patch of RFC 7386: null removes a member, objects are merged, other values replace. `__proto__` is a
 * normal name.
 */
export const mergePatch = (target: Json, patch: Json): Json => {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
};

const isOperation = (value: Json): value is PatchOperation =>
  isObject(value) && typeof value['op'] === 'string' && typeof value['path'] === 'string';

/** True for paths that the library would apply to the prototype of an object. */
const isUnsafe = (pointer: Json): boolean =>
  typeof pointer === 'string' && /\/(?:__proto__|constructor|prototype)(?:\/|$)/.test(pointer);

const faultWords: Readonly<Record<string, string>> = {
  MissingError: 'the state has nothing at this path',
  TestError: 'the state has another value at this path',
  InvalidOperationError: 'there is no such operation, use add, remove, replace, move, copy or test',
};

/** Applies all operations to a copy, or none. @throws CliFailure USAGE that names the failing operation */
export const applyPatch = async (target: Json, patch: Json, actorId: string): Promise<Json> => {
  if (!Array.isArray(patch) || !patch.every(isOperation)) {
    throw usage('the patch must be a list of operations (RFC 6902)', `like [{"op":"replace","path":"/n","value":1}]`);
  }
  const loose = patch.find(({ path }) => path !== '' && !path.startsWith('/'));
  if (loose) throw usage(`the path ${JSON.stringify(loose.path)} in the patch must begin with /`);
  const unsafe = patch.find(({ path, from }) => isUnsafe(path) || isUnsafe(from));
  if (unsafe) throw usage(`a patch cannot change ${unsafe.path}`, `actorctl state edit ${actorId}`);
  const { applyPatch: apply, Pointer } = await import('rfc6902');
  // A wrapper object, because a patch of the whole document (path "") must replace a member.
  const holder = { state: forLibrary(target) };
  const into = (pointer: Json) => (typeof pointer === 'string' ? `/state${pointer}` : pointer);
  const operations = patch.map((each) => ({
    ...each,
    path: into(each.path),
    ...('from' in each && { from: into(each['from']) }),
    ...('value' in each && { value: forLibrary(each['value']) }),
  }));
  /** True for a test that differs from the state only in the spelling of numbers: 1.0 equals 1. */
  const holds = (each: Readonly<Record<string, unknown>>): boolean => {
    if (each['op'] !== 'test' || !('value' in each)) return false;
    const found: Json = Pointer.fromJSON(String(each['path'])).evaluate(holder).value;
    return found !== undefined && compareJson(toJson(fromLibrary(found)), toJson(fromLibrary(each['value']))) === 0;
  };
  const faults = operations.map((each) =>
    holds(each) ? null : (apply(holder, [each] as Parameters<typeof apply>[1])[0] ?? null),
  );
  const at = faults.findIndex((fault) => fault !== null);
  if (at !== -1) {
    const { op, path } = patch[at] ?? { op: '', path: '' };
    throw usage(
      `operation ${at + 1} of the patch (${op} ${path}) failed: ${faultWords[faults[at]?.name ?? ''] ?? 'it does not fit the state'}`,
      `nothing was changed; to see the state: actorctl state get ${actorId}`,
    );
  }
  return fromLibrary(holder.state);
};

/** Returns the operations of RFC 6902 that turn one value into the other. */
export const patchBetween = async (from: Json, to: Json): Promise<readonly PatchOperation[]> => {
  const { createPatch } = await import('rfc6902');
  return createPatch(forLibrary(from), forLibrary(to)).map((each) => fromLibrary({ ...each }) as PatchOperation);
};

/** Counts the changes: `+2 -0 ~1` for added, removed and changed members. */
export const formatCounts = (patch: readonly PatchOperation[]): string => {
  const count = (...ops: readonly string[]) => patch.filter(({ op }) => ops.includes(op)).length;
  return `+${count('add', 'copy')} -${count('remove')} ~${count('replace', 'move')}`;
};

/** Formats a difference like `diff -u`; empty if equal. It contains no control characters except those of `paint`. */
export const unifiedDiff = async (
  from: { readonly name: string; readonly text: string },
  to: { readonly name: string; readonly text: string },
  paint: Paint,
): Promise<string> => {
  const [before, after] = [prettyJson(escapeUnsafe(from.text)), prettyJson(escapeUnsafe(to.text))];
  if (before === after) return '';
  const { createTwoFilesPatch } = await import('diff');
  const lines = createTwoFilesPatch(stripControl(from.name), stripControl(to.name), `${before}\n`, `${after}\n`)
    .trimEnd()
    .split('\n');
  const painted = lines
    .filter((line) => !line.startsWith('====='))
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---')) return paint.bold(line);
      if (line.startsWith('@@')) return paint.cyan(line);
      return line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line;
    });
  return `${painted.join('\n')}\n`;
};
