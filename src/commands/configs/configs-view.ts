// Table columns of configs.

import { exactText } from '../../contract/exact-json.ts';
import { fields } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import type { View } from '../../ui/format/view.ts';

export type Config = ResultOf<Operations['configs.show']>;

export const actorsOf = ({ actors }: Pick<Config, 'actors'>): readonly string[] =>
  actors
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The actors of a config as words. */
export const formatSharing = (config: Pick<Config, 'actors'>): string => {
  const actors = actorsOf(config).join(', ');
  return actors === '' ? 'not shared with an actor' : `shared with ${actors}`;
};

const formatActors = (config: Pick<Config, 'actors'>): string => actorsOf(config).join(', ') || '-';

/** A config with its actors as text for people: by name where the name is known. */
export type ConfigRow = Config & { readonly actorNames?: readonly string[] };

/** Replaces ids of actors by names. An alias stays an alias. */
export const nameActors = (config: Config, names: ReadonlyMap<string, string>): ConfigRow =>
  names.size === 0 ? config : { ...config, actorNames: actorsOf(config).map((each) => names.get(each) ?? each) };

export const configView: View<ConfigRow> = {
  id: ({ name }) => name,
  name: ({ name }) => name,
  fields: [...fields.config, 'actorNames'],
  columns: [
    { header: 'NAME', value: ({ name }) => name, role: 'name' },
    { header: 'SECRET', value: ({ is_secret }) => (is_secret ? 'yes' : 'no') },
    { header: 'ACTORS', value: (row) => row.actorNames?.join(', ') || formatActors(row) },
    { header: 'SIZE', value: ({ value }) => Buffer.byteLength(exactText(value) ?? ''), kind: 'bytes' },
    { header: 'UPDATED', value: ({ lastUpdateTime }) => lastUpdateTime, kind: 'time' },
    { header: 'SHARED WITH', value: formatActors, wide: true },
    { header: 'OWNER', value: ({ owner }) => owner, wide: true },
    { header: 'REVISION', value: ({ revision }) => revision, kind: 'number', wide: true },
    { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time', wide: true },
  ],
};
