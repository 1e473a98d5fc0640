// The layers of all collections, and the reads through them.
import type { CollectionName, Collections } from '../domain/records/collections.ts';
import type { ReadView } from '../ports/store.ts';
import type { Loaded } from './load-store.ts';
import { createLayer, type Layer } from './pending-layer.ts';
import { collectionNames, rules } from './record-table.ts';
import type { Reader } from './table/reader.ts';

type Layers = { readonly [N in CollectionName]: Layer<Collections[N]> };

export const createLayers = (loaded: Loaded): Layers => {
  const layer = <N extends CollectionName>(name: N): Layer<Collections[N]> =>
    createLayer(rules[name], loaded.snapshotFiles[name].data);
  return Object.fromEntries(collectionNames.map((name) => [name, layer(name)])) as Layers;
};

type ReaderOf = <N extends CollectionName>(collection: N) => Reader<Collections[N]>;

export const viewOf = (reader: ReaderOf): ReadView => ({
  get: (collection, key) => reader(collection).get(key),
  all: (collection, walk) => reader(collection).all(walk),
  by: (collection, index, value) => reader(collection).by(index, value),
  each: (collection, index, value, walk) => reader(collection).each(index, value, walk),
  page: (collection, index, value, page) => reader(collection).page(index, value, page),
  count: (collection) => reader(collection).count(),
  countBy: (collection, index, value) => reader(collection).countBy(index, value),
  sumBy: (collection, figure, value) => reader(collection).sumBy(figure, value),
});
