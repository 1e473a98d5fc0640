// Standard output and error output: written at once, and through the stream of Node where that does not work.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Loss } from '../../../src/lossy-output.ts';
import { standardStream, withLineStarts } from '../../../src/standard-stream.ts';

let folder: string;
let streamed: Buffer[];
let opened: number;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-standard-stream-'));
  streamed = [];
  opened = 0;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A standard stream on a descriptor; what its stream of Node gets is in `streamed`, unless it fails with an error. */
const on = (descriptor: number, loss?: Loss, failure?: Error) =>
  standardStream(
    descriptor,
    () => {
      opened += 1;
      const stream = new Writable({
        write: (chunk: Buffer, _, done) => {
          streamed.push(chunk);
          done(failure);
        },
      });
      return Object.assign(stream, { isTTY: false, columns: 70 });
    },
    loss,
  );

describe('a standard stream', () => {
  it('writes to a file at once, and opens no stream', async () => {
    const file = path.join(folder, 'out');
    const descriptor = openSync(file, 'w');
    const sink = on(descriptor);
    await new Promise<void>((resolve) => {
      expect(sink.write('héllo\n')).toBe(true);
      sink.write(Buffer.from('bytes\n'), () => resolve());
      expect(readFileSync(file, 'utf8')).toBe('héllo\nbytes\n');
    });
    closeSync(descriptor);
    expect(opened).toBe(0);
  });

  it('writes all through its stream once its properties were read', () => {
    const file = path.join(folder, 'out');
    const descriptor = openSync(file, 'w');
    const sink = on(descriptor);
    expect([sink.isTTY, sink.columns, sink.rows]).toEqual([false, 70, undefined]);
    sink.write('one');
    sink.write('two');
    closeSync(descriptor);
    expect([readFileSync(file, 'utf8'), Buffer.concat(streamed).toString(), opened]).toEqual(['', 'onetwo', 1]);
  });

  it('buffers in its stream the bytes that a full pipe refuses, without lost or repeated bytes', () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const text = Buffer.from(Array.from({ length: 40_000 }, (_, index) => `${index}\n`).join(''));
    on(descriptor).write(text);
    const held = Buffer.alloc(text.length);
    const size = readSync(descriptor, held);
    closeSync(descriptor);
    expect(size).toBeGreaterThan(4_096);
    expect(size).toBeLessThan(text.length);
    expect(Buffer.concat([held.subarray(0, size), ...streamed]).equals(text)).toBe(true);
  });

  it.each([
    ['ENOSPC', ['failed ENOSPC']],
    ['EPIPE', ['closed']],
  ])('leaves an error to its stream, which reports it: %s', async (code, reported) => {
    const seen: string[] = [];
    const descriptor = openSync('/dev/full', 'w');
    const loss: Loss = {
      onClosed: () => void seen.push('closed'),
      onFailure: (error) => void seen.push(`failed ${error.message}`),
    };
    const sink = on(descriptor, loss, Object.assign(new Error(code), { code }));
    sink.write('lost');
    closeSync(descriptor);
    await expect.poll(() => seen).toEqual(reported);
    // Later writes are dropped.
    await new Promise<void>((resolve) => void sink.write('too', () => resolve()));
    expect([Buffer.concat(streamed).toString(), opened, seen]).toEqual(['lost', 1, reported]);
  });
});

describe('a line on stderr after output without a line break', () => {
  const screen = (isShared: boolean) => {
    const written: [string, string][] = [];
    const sink = (name: string) => ({
      columns: 70,
      write: (chunk: string | Uint8Array) => written.push([name, Buffer.from(chunk).toString()]) > 0,
    });
    const { stdout, stderr } = withLineStarts(sink('out'), sink('err'), () => isShared);
    const line = (text: string) => {
      stderr.startLine?.();
      stderr.write(`${text}\n`);
    };
    return { stdout, stderr, line, written };
  };

  it('starts a new line on stderr if both streams go to one place, once, and changes no byte of stdout', () => {
    const { stdout, line, written } = screen(true);
    stdout.write('no end');
    stdout.write('');
    line('X1  COMPLETE');
    line('second');
    stdout.write(Buffer.from('bytes'));
    line('third');
    stdout.write('end\n');
    line('fourth');
    expect(written.map(([name, text]) => `${name} ${JSON.stringify(text)}`)).toEqual([
      ...['out "no end"', 'out ""', 'err "\\n"', 'err "X1  COMPLETE\\n"', 'err "second\\n"'],
      ...['out "bytes"', 'err "\\n"', 'err "third\\n"', 'out "end\\n"', 'err "fourth\\n"'],
    ]);
    expect(stdout.columns).toBe(70);
  });

  it('starts a new line only after stderr if stdout goes elsewhere', () => {
    const { stdout, stderr, line, written } = screen(false);
    stdout.write('no end');
    line('first');
    stderr.write('no end');
    stdout.write('elsewhere\n');
    line('second');
    expect(written.flatMap(([name, text]) => (name === 'err' ? [text] : []))).toEqual([
      ...['first\n', 'no end', '\n', 'second\n'],
    ]);
  });
});
