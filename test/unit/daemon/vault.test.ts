// Password hashes, random values, ids, and the limit of concurrent work.
import { timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PasswordLane } from '../../../daemon/ports/vault.ts';
import { createHashSlots } from '../../../daemon/vault/hash-slots.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createVault, PASSWORD_COST } from '../../../daemon/vault/vault.ts';

const cheap = createVault({ cost: { logN: 4, r: 8, p: 1 } });

type Pair = readonly [Buffer, Buffer];

/** A vault that records what it compares. */
const counting = () => {
  const compared: Pair[] = [];
  const vault = createVault({
    cost: { logN: 4, r: 8, p: 1 },
    isEqual: (a, b) => {
      compared.push([Buffer.from(a as Uint8Array), Buffer.from(b as Uint8Array)]);
      return timingSafeEqual(a, b);
    },
  });
  return { vault, compared };
};

describe('R75 passwords', () => {
  it('are hashed with scrypt N=2^17 r=8 p=1 and their own salt, and the hash contains these parameters', async () => {
    expect(PASSWORD_COST).toEqual({ logN: 17, r: 8, p: 1 });
    const vault = createVault();
    const hash = await vault.hashPassword('secret');
    expect(hash).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await vault.verifyPassword('secret', hash, 'form')).toBe(true);
    expect(await vault.verifyPassword('Secret', hash, 'form')).toBe(false);
  });

  it('are verified with the parameters of their hash', async () => {
    const hash = await cheap.hashPassword('secret');
    expect(await createVault({ cost: { logN: 5, r: 8, p: 1 } }).verifyPassword('secret', hash, 'form')).toBe(true);
    expect(await cheap.hashPassword('secret')).not.toBe(hash);
  });

  it('R72 of an unknown user never match', async () => {
    expect(await cheap.verifyPassword('', undefined, 'form')).toBe(false);
    expect(await cheap.verifyPassword('secret', undefined, 'form')).toBe(false);
  });

  it('R72 of an unknown user cost the same hash and the same comparison as a wrong one', async () => {
    const { vault, compared } = counting();
    const hash = await vault.hashPassword('right');
    const work = async (password: string, stored: string | undefined): Promise<readonly Pair[]> => {
      compared.length = 0;
      expect(await vault.verifyPassword(password, stored, 'form')).toBe(false);
      return [...compared];
    };
    const [wrong] = await work('wrong', hash);
    const [unknown] = await work('wrong', undefined);
    expect([wrong?.map(({ length }) => length), unknown?.map(({ length }) => length)]).toEqual([
      [32, 32],
      [32, 32],
    ]);
    // The compared key is derived from the password: equal passwords give equal keys, different ones different keys.
    expect((await work('wrong', undefined))[0]?.[0]).toEqual(unknown?.[0]);
    expect((await work('other', undefined))[0]?.[0]).not.toEqual(unknown?.[0]);
  });

  it('R74 match in composed and decomposed Unicode form, and otherwise exactly', async () => {
    const hash = await cheap.hashPassword('\u00e9t\u00e9');
    expect(await cheap.verifyPassword('e\u0301te\u0301', hash, 'form')).toBe(true);
    for (const wrong of ['ete', ' \u00e9t\u00e9', '\u00e9t\u00e9 ', '\u00c9t\u00e9', '']) {
      expect(await cheap.verifyPassword(wrong, hash, 'form')).toBe(false);
    }
  });

  it('cause an error if the stored hash has an unknown format', async () => {
    await expect(cheap.verifyPassword('x', 'plain', 'form')).rejects.toThrow('unknown format');
  });
});

describe('R48 R85 random values', () => {
  it('are stored as SHA-256 and compared completely', () => {
    const digest = cheap.digest('value');
    expect(digest).toBe('cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619');
    expect(cheap.matches('value', digest)).toBe(true);
    for (const wrong of ['', 'valu', 'value ', 'VALUE', digest]) expect(cheap.matches(wrong, digest)).toBe(false);
    expect(cheap.matches('value', undefined)).toBe(false);
    expect(cheap.matches('value', '')).toBe(false);
    expect(cheap.matches('value', `${digest}0`.slice(1))).toBe(false);
  });
});

describe('R48 the comparison of secrets', () => {
  it('is one comparison of 64 digits in constant time, whatever is compared', () => {
    const { vault, compared } = counting();
    const digest = vault.digest('value');
    for (const expected of [digest, vault.digest('other'), undefined, '', digest.slice(1), `${digest}0`]) {
      for (const given of ['value', '', 'x'.repeat(10_000)]) {
        compared.length = 0;
        vault.matches(given, expected);
        expect(compared.map(([a, b]) => [a.length, b.length])).toEqual([[64, 64]]);
      }
    }
  });
});

describe('ids', () => {
  const ids = createIds();

  it('are 13 letters and digits that begin with a letter, and are unique', () => {
    const made = Array.from({ length: 20_000 }, () => ids.id());
    expect(made.filter((id) => !/^[A-Za-z][A-Za-z0-9]{12}$/.test(id))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
  });

  it('use every allowed character', () => {
    const text = Array.from({ length: 2_000 }, () => ids.id()).join('');
    expect(new Set(text).size).toBe(62);
  });

  it('R49 R56 secrets have 256 bits in the URL-safe alphabet', () => {
    expect(ids.secret()).toMatch(/^[\w-]{43}$/);
    expect(ids.secret()).not.toBe(ids.secret());
  });
});

describe('R240 the slots of password hashes', () => {
  /** Runs calls that end when the test says so. */
  const slots = (longestWaitMs?: number) => {
    const inSlot = createHashSlots(longestWaitMs);
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const call = (lane: PasswordLane, name: string): Promise<void> =>
      inSlot(lane, () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    /** Ends a call and waits until it has given its slot away. */
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { call, started, end };
  };

  it('keep one slot free for login forms, whatever else waits', async () => {
    const { call, started, end } = slots();
    const others = [call('basic', 'b1'), call('basic', 'b2'), call('token', 't1'), call('new', 'n1')];
    expect(started).toEqual(['b1']);
    const form = call('form', 'f1');
    expect(started).toEqual(['b1', 'f1']);
    await end('f1');
    await form;
    expect(started).toEqual(['b1', 'f1']);
    for (const name of ['b1', 't1', 'n1', 'b2']) await end(name);
    await Promise.all(others);
    expect(started).toEqual(['b1', 'f1', 't1', 'n1', 'b2']);
  });

  it('go to the queue served least recently, so a full queue delays no other', async () => {
    const { call, started, end } = slots();
    const forms = ['f1', 'f2', 'f3', 'f4'].map((name) => call('form', name));
    const basic = call('basic', 'b1');
    expect(started).toEqual(['f1', 'f2']);
    await end('f1');
    expect(started).toEqual(['f1', 'f2', 'b1']);
    for (const name of ['f2', 'b1', 'f3', 'f4']) await end(name);
    await Promise.all([...forms, basic]);
    expect(started).toEqual(['f1', 'f2', 'b1', 'f3', 'f4']);
  });

  it('refuse a call whose queue is full, while a call of another queue still waits', async () => {
    const { call, started, end } = slots();
    const waiting = Array.from({ length: 17 }, (_, at) => call('token', `t${at}`));
    await expect(call('token', 'late')).rejects.toMatchObject({ code: 'THROTTLED', detail: { retryAfter: 2 } });
    const basic = call('basic', 'b');
    await end('t0');
    expect(started).toEqual(['t0', 'b']);
    await end('b');
    for (let at = 1; at < 17; at += 1) await end(`t${at}`);
    await Promise.all([...waiting, basic]);
  });

  it('refuse a call that waits too long, without assigning it a slot', async () => {
    const { call, started, end } = slots(1);
    const first = call('basic', 'b1');
    await expect(call('token', 't1')).rejects.toMatchObject({ code: 'THROTTLED', detail: { retryAfter: 2 } });
    await end('b1');
    await first;
    const third = call('token', 't2');
    expect(started).toEqual(['b1', 't2']);
    await end('t2');
    await third;
  });

  it('are released after a call that fails', async () => {
    const inSlot = createHashSlots();
    for (let time = 0; time < 3; time += 1) {
      await expect(inSlot('basic', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await inSlot('basic', async () => 5)).toBe(5);
  });
});
