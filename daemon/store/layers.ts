// The layers of all collections, and reads of their durable records.
import type { CollectionName, Collections } from '../domain/records/collections.ts';
import type { ReadView } from '../ports/store.ts';
import type { Loaded } from './load-store.ts';
import { createLayer, type Layer } from './pending-layer.ts';
import { collectionNames, rules } from './record-table.ts';

export type Layers = { readonly [N in CollectionName]: Layer<Collections[N]> };

export const createLayers = (loaded: Loaded): Layers => {
  const layer = <N extends CollectionName>(name: N): Layer<Collections[N]> =>
    createLayer(rules[name], loaded.lows[name].data);
  return Object.fromEntries(collectionNames.map((name) => [name, layer(name)])) as Layers;
};

export const durableView = (layers: Layers): ReadView => ({
  get: (collection, key) => layers[collection].durable.get(key),
  all: (collection, walk) => layers[collection].durable.all(walk),
  by: (collection, index, value) => layers[collection].durable.by(index, value),
  each: (collection, index, value, walk) => layers[collection].durable.each(index, value, walk),
  page: (collection, index, value, page) => layers[collection].durable.page(index, value, page),
  count: (collection) => layers[collection].durable.count(),
  countBy: (collection, index, value) => layers[collection].durable.countBy(index, value),
  sumBy: (collection, figure, value) => layers[collection].durable.sumBy(figure, value),
});
