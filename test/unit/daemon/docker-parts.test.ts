// The pure parts of the Docker executor: log stream, archives, progress, errors, and the program of the pause container.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createPullProgress } from '../../../daemon/executor/docker/images.ts';
import { createDemux, readStream } from '../../../daemon/executor/docker/log-stream.ts';
import { workerInName } from '../../../daemon/executor/docker/network-containers.ts';
import { type TarEntry, tar } from '../../../daemon/executor/docker/tar.ts';
import { pauseProgram } from '../../../daemon/executor/docker/worker-network-image.ts';
import { toExecutorError } from '../../../daemon/executor/engine/engine-error.ts';
import { createResumableSink } from '../../../daemon/executor/resumable-sink.ts';

const frame = (stream: 1 | 2, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};
const taken = () => {
  const seen = { stdout: '', stderr: '' };
  const sink = (stream: 'stdout' | 'stderr', data: Uint8Array) => {
    seen[stream] += Buffer.from(data).toString();
  };
  return { seen, sink };
};

describe('the multiplexed log stream', () => {
  const whole = Buffer.concat([frame(1, 'one\n'), frame(2, ''), frame(2, 'two\n'), frame(1, 'three\n')]);

  it.each(Array.from({ length: whole.length }, (_, i) => i + 1))(
    'gives the same output in chunks of %i bytes',
    (size) => {
      const { seen, sink } = taken();
      const push = createDemux(sink);
      for (let at = 0; at < whole.length; at += size) push(whole.subarray(at, at + size));
      expect(seen).toEqual({ stdout: 'one\nthree\n', stderr: 'two\n' });
    },
  );

  it('skips the bytes already delivered when it is read again from the start', () => {
    const { seen, sink } = taken();
    const resumable = createResumableSink(sink);
    createDemux(resumable.forNextSource())(whole.subarray(0, 10));
    createDemux(resumable.forNextSource())(whole.subarray(0, 31));
    createDemux(resumable.forNextSource())(whole);
    expect(seen).toEqual({ stdout: 'one\nthree\n', stderr: 'two\n' });
  });
});

describe('an attached stream whose engine reports a fault in it', () => {
  const fault = /^Error: read unixpacket [^\n]*\n$/;
  const words = 'Error: read unixpacket @->/attach: read: connection reset by peer\n';
  const read = async (...frames: readonly Buffer[]) => {
    const { seen, sink } = taken();
    const ended = await readStream(Readable.from(frames), sink, { fault }).over;
    return { ...seen, ended };
  };

  it('is treated as broken, and the fault is not part of the output', async () => {
    expect(await read(frame(1, 'one\n'), frame(2, words))).toEqual({ stdout: 'one\n', stderr: '', ended: false });
  });

  it('is not treated as broken if a program wrote the same text and continued', async () => {
    expect(await read(frame(2, words), frame(1, 'one\n'))).toEqual({ stdout: 'one\n', stderr: words, ended: true });
  });
});

describe('an archive', () => {
  const archive = async (entries: readonly TarEntry[]) => {
    const pieces: Buffer[] = [];
    for await (const piece of tar(entries)) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  it('is readable by tar, with files from memory and from disk', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-tar-'));
    try {
      writeFileSync(path.join(folder, 'b'), 'y'.repeat(100_000));
      const input = await archive([
        { path: '/deep/a', mode: 0o444, source: { bytes: Buffer.from('x'.repeat(513)) } },
        { path: 'b', mode: 0o444, source: { file: path.join(folder, 'b') } },
        { path: 'empty', mode: 0o755, source: { bytes: new Uint8Array() } },
      ]);
      expect(execFileSync('tar', ['-tf', '-'], { input }).toString()).toBe('deep/a\nb\nempty\n');
      execFileSync('tar', ['-xf', '-', '-C', folder], { input });
      const modes = execFileSync('stat', ['-c', '%a %s', 'deep/a', 'b', 'empty'], { cwd: folder }).toString();
      expect(modes).toBe('444 513\n444 100000\n755 0\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('may have a path longer than the field of its header', async () => {
    const long = `deep/${'x'.repeat(200)}`;
    const input = await archive([{ path: long, mode: 0o444, source: { bytes: new Uint8Array() } }]);
    expect(execFileSync('tar', ['-tf', '-'], { input }).toString()).toBe(`${long}\n`);
  });

  it('fails once if a file cannot be read, even while earlier entries wait', async () => {
    const bytes = { mode: 0o444, source: { bytes: Buffer.alloc(300_000) } };
    const missing = { path: 'c', mode: 0o444, source: { file: '/nonexistent/a' } };
    const packed = tar([{ path: 'a', ...bytes }, { path: 'b', ...bytes }, missing]);
    // Nobody reads yet, so the entries wait when the missing file is looked for.
    for (let n = 0; n < 5; n += 1) await expect(stat('/nonexistent/a')).rejects.toThrow('ENOENT');
    await expect(packed.toArray()).rejects.toThrow('ENOENT');
  });
});

describe('the program of the pause container', () => {
  it.each(['x86_64', 'amd64', 'aarch64', 'arm64'])('exists for %s', (name) => {
    expect(pauseProgram(name)?.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  });

  it('does not exist for an unknown processor', () => {
    expect(pauseProgram('riscv64')).toBeUndefined();
  });

  const native = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as 'x64' | 'arm64'];
  it.runIf(process.platform === 'linux' && native !== undefined)('runs until it is killed', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-pause-'));
    try {
      const file = path.join(folder, 'pause');
      writeFileSync(file, pauseProgram(String(native)) ?? '');
      chmodSync(file, 0o755);
      expect(() => execFileSync(file, { timeout: 300 })).toThrow('ETIMEDOUT');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the name of a network container', () => {
  it.each([
    ['actorctl-default-pause-wKQ3abc.0a1b', 'wKQ3abc'],
    ['actorctl-default-holder-wKQ3abc.0a1b', 'wKQ3abc'],
    ['actorctl-my-pause-lab-pause-wKQ3abc.0a1b', 'wKQ3abc'],
    ['actorctl-default-wKQ3abc-0a1b', undefined],
  ])('%s belongs to the worker %s', (name, worker) => {
    expect(workerInName(name)).toBe(worker);
  });
});

describe('the progress of a pull', () => {
  it('counts layers and megabytes, and reports only changes', () => {
    const say = createPullProgress('i');
    expect(say({ status: 'Pulling from library/i', id: 'latest' })).toBeUndefined();
    expect(say({ status: 'Pulling fs layer', id: 'a' })).toBe('pulling i: 0 of 1 layers, 0 of 0 MB');
    expect(say({ status: 'Waiting', id: 'a' })).toBeUndefined();
    const progressDetail = { current: 2e6, total: 5e6 };
    expect(say({ status: 'Downloading', id: 'a', progressDetail })).toBe('pulling i: 0 of 1 layers, 2 of 5 MB');
    expect(say({ status: 'Pull complete', id: 'a' })).toBe('pulling i: 1 of 1 layers, 2 of 5 MB');
    expect(say({ status: 'Digest: sha256:1' })).toBeUndefined();
    expect(say(undefined)).toBeUndefined();
  });
});

describe('an engine error', () => {
  const answered = (statusCode: number) => Object.assign(new Error('answered'), { statusCode });

  it('is a refusal if the engine responded, and unavailability if a proxy or the connection failed', () => {
    for (const status of [400, 404, 409, 500])
      expect(toExecutorError(answered(status), 'start', '').kind).toBe('start');
    for (const status of [502, 503, 504])
      expect(toExecutorError(answered(status), 'start', '').kind).toBe('unavailable');
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    expect(toExecutorError(reset, 'start', '').kind).toBe('unavailable');
  });
});
