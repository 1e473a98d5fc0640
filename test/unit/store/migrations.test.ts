// Migrations as pure functions, and the checksum of every line.
import { describe, expect, it } from 'vitest';
import { recordChecksum, seal, sealOf, unseal, unsealRecord } from '../../../daemon/store/journal/sealed-line.ts';
import { migrateData, migrations, SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';

describe('migrations', () => {
  it('lead without a gap from version 1 to the current version', () => {
    expect(migrations.map(({ from }) => from)).toEqual(Array.from({ length: SCHEMA_VERSION - 1 }, (_, n) => n + 1));
  });

  it('version 2 sets failed starts to 0 and changes nothing else', () => {
    const data = { actors: [{ id: 'a' }, { id: 'b', startFailures: 3 }], users: [{ username: 'ana' }] };
    expect(migrateData(data, 1, 2)).toEqual({
      actors: [
        { id: 'a', startFailures: 0 },
        { id: 'b', startFailures: 3 },
      ],
      users: [{ username: 'ana' }],
    });
    expect(data.actors[0]).toEqual({ id: 'a' });
  });

  it('version 3 moves the state out of the actor, as its first version, set by its owner', () => {
    const proto = JSON.parse('{"__proto__":1}') as unknown;
    const actor = (id: string, state: unknown) => ({ id, tenant: 'DEV', owner: 'ana', state, updatedAt: 7, name: id });
    const data = { actors: [actor('a', {}), actor('b', { n: 'ž' }), actor('c', null), actor('d', proto)], users: [] };
    const state = (actorId: string, text: string, bytes: number) => ({
      actorId,
      tenant: 'DEV',
      version: 1,
      text,
      bytes,
      by: 'ana',
      at: 7,
    });
    expect(migrateData(data, 2, 3)).toEqual({
      actors: ['a', 'b', 'c', 'd'].map((id) => ({ id, tenant: 'DEV', owner: 'ana', updatedAt: 7, name: id })),
      users: [],
      states: [state('b', '{"n":"ž"}', 10), state('c', 'null', 4), state('d', '{"__proto__":1}', 15)],
    });
  });

  it('version 4 keeps the numbers of events, deliveries and users, and continues above every cursor of a caller', () => {
    const data = {
      tenants: [{ id: 'DEV' }, { id: 'OTHER' }],
      users: [
        { tenant: 'DEV', uid: 2 },
        { tenant: 'DEV', uid: 9 },
        { tenant: 'OTHER', uid: 4 },
      ],
      events: [{ number: 5, tenant: 'DEV' }],
      deliveries: [{ sequence: 6, eventNumber: 5, tenant: 'DEV' }],
      executions: [{ sequence: 11, tenant: 'OTHER' }],
    };
    expect(migrateData(data, 3, 4)).toEqual({
      ...data,
      events: [{ number: 5, serial: 5, tenant: 'DEV' }],
      deliveries: [{ sequence: 6, serial: 6, eventNumber: 5, eventSerial: 5, tenant: 'DEV' }],
      serials: [
        { tenant: 'DEV', events: 11, deliveries: 11, users: 9 },
        { tenant: 'OTHER', events: 11, deliveries: 11, users: 4 },
      ],
    });
  });

  it('version 5 turns the run time of totals from seconds into milliseconds', () => {
    const totals = { tenant: 'DEV', actors: 0, actorsWithExecutions: 0, executions: 3, cpu: 5, io: 6 };
    expect(migrateData({ totals: [{ ...totals, runtime: 7 }], users: [] }, 4, 5)).toEqual({
      totals: [{ ...totals, runtimeMs: 7_000 }],
      users: [],
    });
    expect(migrateData({}, 4, 5)).toEqual({ totals: [] });
  });

  it('run in sequence, and a missing one is an error', () => {
    const steps = [1, 2].map((from) => ({
      from,
      up: (data: object) => ({ ...data, [`step${from}`]: [] }),
    }));
    expect(Object.keys(migrateData({}, 1, 3, steps))).toEqual(['step1', 'step2']);
    expect(() => migrateData({}, 1, 4, steps)).toThrow('version 3');
  });
});

describe('a sealed line', () => {
  it('is a JSON array that opens to the sealed value', () => {
    const line = seal('[1,{"name":"Zoë","__proto__":2}');
    expect(JSON.parse(line)).toHaveLength(3);
    expect(JSON.stringify(unseal(Buffer.from(line)))).toBe('[1,{"name":"Zoë","__proto__":2}]');
  });

  it('of a record gives the record and the place of its text', () => {
    const text = '{"id":"ž"}';
    const line = Buffer.from(seal(`[${text}`));
    const span = { offset: 1, length: Buffer.byteLength(text), checksum: recordChecksum(text) };
    expect(unsealRecord(line)).toEqual({ record: { id: 'ž' }, span });
    for (const wrong of ['null', '5', '"text"', 'no JSON']) {
      expect(unsealRecord(Buffer.from(seal(`[${wrong}`)))).toBeUndefined();
    }
    expect(unsealRecord(line.subarray(1))).toBeUndefined();
    expect(unseal(Buffer.from(seal('[no JSON')))).toBeUndefined();
    expect(sealOf(0xab)).toBe(',"000000ab"]');
  });

  it('is refused if any byte was changed, removed or added', () => {
    const line = Buffer.from(seal('[1,"text"'));
    for (let offset = 0; offset < line.length; offset += 1) {
      const bad = Buffer.from(line);
      bad.writeUInt8(bad.readUInt8(offset) ^ 1, offset);
      expect(unseal(bad)).toBeUndefined();
      expect(unseal(line.subarray(0, offset))).toBeUndefined();
    }
    expect(unseal(Buffer.concat([line, Buffer.from(' ')]))).toBeUndefined();
    expect(unseal(Buffer.alloc(0))).toBeUndefined();
  });
});
