// The records of a collection by order number: objects in memory, or texts on disk of which the latest are objects as
// well.
import { createPassingMap } from '../../domain/records/passing-map.ts';
import { createPlaces, type Places } from './places.ts';
import type { Place, RecordFiles } from './record-files.ts';

export interface Records<R> {
  get(order: number): R | undefined;
  set(order: number, record: R, place?: Place): void;
  remove(order: number): void;
}

export const heldRecords = <R>(): Records<R> => {
  const records = createPassingMap<number, R>();
  return {
    get: (order) => records.get(order),
    set: (order, record) => records.set(order, record),
    remove: (order) => void records.delete(order),
  };
};

export interface StoredRecords<R> extends Records<R> {
  readonly places: Places;
  /**
   * Adds a record that was read from disk at startup. It stays in memory only if the budget is infinite, because most
   * of these records are old.
   */
  load(order: number, record: R, place: Place): void;
  held(): number;
}

/**
 * The records written last stay in memory as objects. They are kept in two generations: when the texts of the younger
 * one exceed the budget, the older one is dropped. Other records are parsed at each read.
 * @param budget length in bytes of the texts of a generation; Infinity keeps every record in memory
 */
export const storedRecords = <R>(files: RecordFiles, budget: number): StoredRecords<R> => {
  const places = createPlaces();
  let young = createPassingMap<number, R>();
  let old = createPassingMap<number, R>();
  let bytes = 0;
  /** The record that was read last. It is cached because a change of a record reads the record several times. */
  let latest: { readonly order: number; readonly record: R } | undefined;

  const forget = (order: number): void => {
    if (latest?.order === order) latest = undefined;
  };

  const hold = (order: number, record: R, length: number): void => {
    old.delete(order);
    young.set(order, record);
    bytes += length;
    if (bytes <= budget) return;
    old = young;
    young = createPassingMap();
    bytes = 0;
  };

  return {
    places,
    held: () => young.size() + old.size(),
    get(order) {
      const held = young.get(order) ?? old.get(order);
      if (held !== undefined) return held;
      if (latest?.order === order) return latest.record;
      const place = places.get(order);
      if (place === undefined) return undefined;
      // The checksum proves that this program wrote the record; the schema version proves its shape.
      latest = { order, record: JSON.parse(files.read(place).toString()) as R };
      return latest.record;
    },
    load(order, record, place) {
      places.set(order, place);
      if (budget === Number.POSITIVE_INFINITY) hold(order, record, 0);
    },
    set(order, record, place) {
      if (place === undefined) throw new Error('A durable record has a place.');
      places.set(order, place);
      forget(order);
      hold(order, record, place.length);
    },
    remove(order) {
      places.remove(order);
      forget(order);
      young.delete(order);
      old.delete(order);
    },
  };
};
