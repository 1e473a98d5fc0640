// Table columns of configs.
import { config } from '../../contract/actors/configs.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { keptText } from '../../ui/format/json-text.ts';
import type { View } from '../../ui/format/view.ts';

export type Config = ResultOf<Operations['configs.show']>;

/** The ids and aliases in the actor list of a config. */
export const actorsOf = ({ actors }: Pick<Config, 'actors'>): readonly string[] =>
  actors
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The actor list for people; a dash if it is empty. */
export const wordActors = (config: Pick<Config, 'actors'>): string => actorsOf(config).join(', ') || '-';

export const configView: View<Config> = {
  id: ({ name }) => name,
  name: ({ name }) => name,
  fields: Object.keys(config.shape),
  columns: [
    { header: 'NAME', value: ({ name }) => name, whole: true },
    { header: 'SECRET', value: ({ is_secret }) => (is_secret ? 'yes' : 'no') },
    { header: 'ACTORS', value: wordActors },
    { header: 'SIZE', value: ({ value }) => Buffer.byteLength(keptText(value) ?? ''), kind: 'bytes' },
    { header: 'UPDATED', value: ({ lastUpdateTime }) => lastUpdateTime, kind: 'time' },
    { header: 'OWNER', value: ({ owner }) => owner, wide: true },
    { header: 'REVISION', value: ({ revision }) => revision, kind: 'number', wide: true },
    { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time', wide: true },
  ],
};
