// The exchange of the data of a folder: whenever it dies, the next start has the old or the new data.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { beginExchange, commitExchange, finishExchange, PARTS } from '../../../daemon/store/archive/exchange.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

/** Simulates a process that dies: the call with this number and all later calls of these functions only throw. */
const dieAt = (number: number): { readonly died: () => boolean; readonly end: () => void } => {
  const names = ['rename', 'rm', 'mkdir'] as const;
  const real = names.map((name) => fsp[name]);
  let calls = 0;
  for (const [index, name] of names.entries()) {
    Object.assign(fsp, {
      [name]: (...args: unknown[]) => {
        calls += 1;
        if (calls >= number) return Promise.reject(new Error('died'));
        return (real[index] as (...given: unknown[]) => unknown)(...args);
      },
    });
  }
  syncBuiltinESMExports();
  const end = (): void => {
    for (const [index, name] of names.entries()) Object.assign(fsp, { [name]: real[index] });
    syncBuiltinESMExports();
  };
  onTestFinished(end);
  return { died: () => calls >= number, end };
};

describe('an exchange of data', () => {
  it.each([undefined, 'damaged-1'])(
    'that is killed at any instant leaves either the old or the new data, never a mix (old data stored as %s)',
    async (keep) => {
      const outcomes: string[] = [];
      for (let number = 1; ; number += 1) {
        const data = temporaryFolder();
        const next = await beginExchange(data);
        for (const part of PARTS) {
          mkdirSync(path.join(data, part));
          writeFileSync(path.join(data, part, 'x'), 'old');
          writeFileSync(path.join(next, part, 'x'), 'new');
        }
        const death = dieAt(number);
        let decided = false;
        const onDecided = (): void => {
          decided = true;
        };
        await commitExchange(data, { ...(keep !== undefined && { keep }), onDecided }).catch(() => undefined);
        death.end();
        // The start after the crash may die as well.
        const again = dieAt(3);
        await finishExchange(data).catch(() => undefined);
        again.end();
        await finishExchange(data);
        const found = new Set(PARTS.map((part) => readFileSync(path.join(data, part, 'x'), 'utf8')));
        expect(found.size).toBe(1);
        const [outcome = ''] = found;
        expect(decided).toBe(outcome === 'new');
        outcomes.push(outcome);
        expect(readdirSync(data).filter((name) => name.startsWith('import.'))).toEqual([]);
        if (keep !== undefined && outcome === 'new')
          expect(readFileSync(path.join(data, keep, 'db', 'x'), 'utf8')).toBe('old');
        if (!death.died()) break;
      }
      expect(outcomes.length).toBeGreaterThan(8);
      expect([outcomes[0], outcomes.at(-1)]).toEqual(['old', 'new']);
    },
  );

  it('without enough disk space for a folder leaves the old data, even after the next start', async () => {
    const data = temporaryFolder();
    const next = await beginExchange(data);
    for (const part of PARTS) {
      mkdirSync(path.join(data, part));
      writeFileSync(path.join(data, part, 'x'), 'old');
      writeFileSync(path.join(next, part, 'x'), 'new');
    }
    const { mkdir } = fsp;
    const end = (): void => {
      Object.assign(fsp, { mkdir });
      syncBuiltinESMExports();
    };
    onTestFinished(end);
    Object.assign(fsp, { mkdir: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) });
    syncBuiltinESMExports();
    await expect(commitExchange(data)).rejects.toThrow('full');
    end();
    await finishExchange(data);
    expect(PARTS.map((part) => readFileSync(path.join(data, part, 'x'), 'utf8'))).toEqual(['old', 'old', 'old']);
  });
});
