// The contract of the store of message bodies.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openBodies } from '../../daemon/store/bodies.ts';
import { temporaryFolder } from '../support/store/store-fixtures.ts';

describe('message bodies in files', () => {
  const open = () => openBodies({ folder: temporaryFolder() });

  it('are stored under a generated name and read back unchanged', async () => {
    const bodies = await open();
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    const [first, second] = [await bodies.put(bytes), await bodies.put(bytes)];
    expect(first).not.toBe(second);
    expect(await bodies.read(first)).toEqual(bytes);
    expect(readFileSync(bodies.path(first))).toEqual(bytes);
    expect(await bodies.read(await bodies.put(new Uint8Array()))).toEqual(Buffer.alloc(0));
  });

  it('can be removed, and removing a missing one does nothing', async () => {
    const bodies = await open();
    const name = await bodies.put(Buffer.from('x'));
    await bodies.delete(name);
    await bodies.delete(name);
    await expect(bodies.read(name)).rejects.toThrow('ENOENT');
  });

  it('without a record are deleted by a sweep', async () => {
    const bodies = await open();
    const [kept, lost] = [await bodies.put(Buffer.from('kept')), await bodies.put(Buffer.from('lost'))];
    await bodies.sweep(new Set([kept]));
    expect((await bodies.read(kept)).toString()).toBe('kept');
    await expect(bodies.read(lost)).rejects.toThrow('ENOENT');
  });

  it('R111 cannot be reached with a name that is a path', async () => {
    const bodies = await open();
    for (const name of ['../lock', '', 'A'.repeat(32), `${'a'.repeat(32)}/x`, 'a'.repeat(33)]) {
      expect(() => bodies.path(name)).toThrow('not a valid name');
      await expect(bodies.read(name)).rejects.toThrow('not a valid name');
      await expect(bodies.delete(name)).rejects.toThrow('not a valid name');
    }
  });
});
