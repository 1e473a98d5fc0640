// Reads the nonces of all actors and aliases that the caller may read. The API lists them by actor and by alias.
import { ask } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { mapConcurrently } from '../../parts/actions/map-concurrently.ts';
import type { Nonce, NonceRow } from './rows.ts';

type Target = Omit<NonceRow, 'id' | 'nonce'>;

const noncesOf = ({ kind, target }: Target, signal: AbortSignal): Promise<readonly Nonce[]> =>
  kind === 'actor'
    ? ask('GET /actors/v2/:actorId/nonces', { params: { actorId: target }, signal })
    : ask('GET /actors/v2/aliases/:alias/nonces', { params: { alias: target }, signal });

/** Empty for an actor that was deleted meanwhile, or whose nonces the caller may not read. */
const readable = (error: unknown): readonly Nonce[] => {
  if (error instanceof ApiFailure && (error.status === 403 || error.status === 404)) return [];
  throw error;
};

/** Time for which the last result is shown again when the user returns to the view. */
const FRESH_MS = 60_000;
let last: { readonly rows: readonly NonceRow[]; readonly at: number } | undefined;
/** Changes with each `forgetNonces`, so that the result of a read in progress is not cached as fresh. */
let generation = 0;

/** Makes the next read ask the service, because nonces were changed or the user wants to refresh them. */
export const forgetNonces = (): void => {
  last = undefined;
  generation += 1;
};

/** Nonces, newest first. At most a minute old, because each actor needs a request. @throws ApiFailure */
export const readNonces = async (signal: AbortSignal): Promise<readonly NonceRow[]> => {
  const [at, begun] = [performance.now(), generation];
  if (last !== undefined && at - last.at <= FRESH_MS) return last.rows;
  const rows = await readAll(signal);
  if (begun === generation) last = { rows, at };
  return rows;
};

const readAll = async (signal: AbortSignal): Promise<readonly NonceRow[]> => {
  const [actors, aliases] = await Promise.all([
    ask('GET /actors/v2', { signal }),
    ask('GET /actors/v2/aliases', { signal }),
  ]);
  const targets: readonly Target[] = [
    ...(Array.isArray(actors)
      ? actors.map(({ id, name }): Target => ({ kind: 'actor', target: id, actorId: id, name: name || id }))
      : []),
    ...aliases.map(({ alias, actorId }): Target => ({ kind: 'alias', target: alias, actorId, name: alias })),
  ];
  const rows = await mapConcurrently(targets, async (target) =>
    (await noncesOf(target, signal).catch(readable)).map(
      (nonce): NonceRow => ({
        ...target,
        id: `${target.kind} ${target.target} ${nonce.id}`,
        nonce,
      }),
    ),
  );
  return rows.flat().sort((a, b) => Date.parse(b.nonce.createTime) - Date.parse(a.nonce.createTime));
};
