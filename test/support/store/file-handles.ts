// Plays the disk: replaces methods of all file handles of this process.
import { readdirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { onTestFinished, vi } from 'vitest';

type Method = 'datasync' | 'read' | 'sync' | 'truncate' | 'write' | 'writeFile';
type Call = (this: FileHandle, ...args: unknown[]) => Promise<unknown>;

/**
 * Replaces a method of all file handles until the end of the test. `play` gets the real call, which it may leave out.
 * Returns a function that ends it earlier.
 */
export const onFileHandles = async (
  method: Method,
  play: (real: () => Promise<unknown>, handle: FileHandle, args: unknown[]) => Promise<unknown>,
): Promise<() => void> => {
  const some = await open(devNull);
  const handles = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  const real = handles[method] as Call;
  const spy = vi.spyOn(handles, method).mockImplementation(function (this: FileHandle, ...args: unknown[]) {
    return play(() => real.apply(this, args), this, args);
  } as never);
  const end = () => void spy.mockRestore();
  onTestFinished(end);
  return end;
};

/** The error with which the system refuses a call. */
export const systemError = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code });

/** True if this process has the file open. Always false without `/proc`. */
export const isOpen = (file: string): boolean => {
  if (process.platform !== 'linux') return false;
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false; // closed since the listing
    }
  });
};
