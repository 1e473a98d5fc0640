// Password hashes, random values, ids, and the limit of concurrent work.
import { timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../daemon/domain/oauth/concurrency-limit.ts';
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
    expect(await vault.verifyPassword('secret', hash)).toBe(true);
    expect(await vault.verifyPassword('Secret', hash)).toBe(false);
  });

  it('are verified with the parameters of their hash', async () => {
    const hash = await cheap.hashPassword('secret');
    expect(await createVault({ cost: { logN: 5, r: 8, p: 1 } }).verifyPassword('secret', hash)).toBe(true);
    expect(await cheap.hashPassword('secret')).not.toBe(hash);
  });

  it('R72 of an unknown user never match', async () => {
    expect(await cheap.verifyPassword('', undefined)).toBe(false);
    expect(await cheap.verifyPassword('secret', undefined)).toBe(false);
  });

  it('R72 of an unknown user cost the same hash and the same comparison as a wrong one', async () => {
    const { vault, compared } = counting();
    const hash = await vault.hashPassword('right');
    const work = async (password: string, stored: string | undefined): Promise<readonly Pair[]> => {
      compared.length = 0;
      expect(await vault.verifyPassword(password, stored)).toBe(false);
      return [...compared];
    };
    const [wrong] = await work('wrong', hash);
    const [unknown] = await work('wrong', undefined);
    expect([wrong?.map(({ length }) => length), unknown?.map(({ length }) => length)]).toEqual([
      [32, 32],
      [32, 32],
    ]);
    // The compared key is derived from the password: the same password gives the same key, another one another key.
    expect((await work('wrong', undefined))[0]?.[0]).toEqual(unknown?.[0]);
    expect((await work('other', undefined))[0]?.[0]).not.toEqual(unknown?.[0]);
  });

  it('R74 match in composed and decomposed Unicode form, and otherwise exactly', async () => {
    const hash = await cheap.hashPassword('\u00e9t\u00e9');
    expect(await cheap.verifyPassword('e\u0301te\u0301', hash)).toBe(true);
    for (const wrong of ['ete', ' \u00e9t\u00e9', '\u00e9t\u00e9 ', '\u00c9t\u00e9', '']) {
      expect(await cheap.verifyPassword(wrong, hash)).toBe(false);
    }
  });

  it('cause an error if the stored hash has an unknown form', async () => {
    await expect(cheap.verifyPassword('x', 'plain')).rejects.toThrow('unknown form');
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

describe('a concurrency limit', () => {
  it('runs a limited number of tasks, queues others in order, and refuses tasks beyond the queue', async () => {
    const gate = createConcurrencyLimit(2, 2, () => new Error('full'));
    const order: string[] = [];
    const release: (() => void)[] = [];
    const work = (name: string) =>
      gate(async () => {
        order.push(name);
        await new Promise<void>((resolve) => release.push(resolve));
      });
    const all = ['a', 'b', 'c', 'd'].map(work);
    await expect(work('e')).rejects.toThrow('full');
    expect(order).toEqual(['a', 'b']);
    release[0]?.();
    await all[0];
    await Promise.resolve();
    expect(order).toEqual(['a', 'b', 'c']);
    release[1]?.();
    release[2]?.();
    await Promise.all([all[1], all[2]]);
    release[3]?.();
    await all[3];
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('frees its slot when a task fails', async () => {
    const gate = createConcurrencyLimit(1, 1, () => new Error('full'));
    await expect(gate(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await gate(async () => 5)).toBe(5);
  });
});
