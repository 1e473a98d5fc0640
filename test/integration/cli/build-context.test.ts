// The build context that is packed from a folder: .dockerignore rules, and an archive that tar can read.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliFailure } from '../../../src/failure.ts';
import { packContext } from '../../../src/local/project/build-context.ts';

let folder: string;
let out: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-context-'));
  out = mkdtempSync(join(tmpdir(), 'actorctl-unpacked-'));
  writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(out, { recursive: true, force: true });
});

const put = (name: string, content: string | Buffer = name): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
};

/** Runs a function without the permissions of root, to which no file is closed. */
const asOther = async <T>(act: () => Promise<T>): Promise<T> => {
  for (const each of [folder, out]) chmodSync(each, 0o777);
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    if (root) process.seteuid?.(0);
  }
};

/** Unpacks the archive with the tar of the host, and returns the file names in it. */
const packed = async (dockerfile = 'Dockerfile'): Promise<readonly string[]> => {
  const { archive } = await packContext(folder, dockerfile);
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  const file = join(out, '..', `${out.split('/').at(-1)}.tar`);
  writeFileSync(file, Buffer.concat(chunks));
  try {
    const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n');
    execFileSync('tar', ['-xf', file, '-C', out]);
    return names.filter((name) => !name.endsWith('/'));
  } finally {
    rmSync(file);
  }
};

describe('a build context', () => {
  it('holds every file with its content, mode and links', async () => {
    put('src/main.sh', '#!/bin/sh\n');
    chmodSync(join(folder, 'src/main.sh'), 0o755);
    put('empty', '');
    put('large.bin', Buffer.alloc(3_000_001, 7));
    symlinkSync('src/main.sh', join(folder, 'run'));
    expect(await packed()).toEqual(['Dockerfile', 'empty', 'large.bin', 'run', 'src/main.sh']);
    expect(readFileSync(join(out, 'large.bin')).equals(Buffer.alloc(3_000_001, 7))).toBe(true);
    expect(execFileSync('stat', ['-c', '%a', join(out, 'src/main.sh')], { encoding: 'utf8' })).toBe('755\n');
    expect(execFileSync('readlink', [join(out, 'run')], { encoding: 'utf8' })).toBe('src/main.sh\n');
  });

  it('omits files that .dockerignore names, except its exceptions', async () => {
    for (const name of ['a.log', 'deep/er/b.log', 'deep/keep.log', 'node_modules/x/index.js', '.env', 'main.js'])
      put(name);
    put('.dockerignore', '# secrets\n.env\nnode_modules\n**/*.log\n!deep/keep.log\n');
    expect(await packed()).toEqual(['.dockerignore', 'Dockerfile', 'deep/keep.log', 'main.js']);
  });

  it('treats the characters ( ) + | { } ^ of a rule literally, and is case-sensitive', async () => {
    const named = ['keys (copy).pem', 'notes+tokens.txt', 'a|b', 'x{2}', 'up^', 'c++/main.cc', 'one.key', 'docs/a'];
    for (const name of [...named, 'Docs/a', 'notestokens.txt', 'xx', 'three.key']) put(name);
    put('.dockerignore', 'keys (copy).pem\nnotes+*.txt\na|b\nx{2}\nup\\^\nc++\n[n-p^(]ne.key\ndocs\n');
    expect(await packed()).toEqual(['.dockerignore', 'Dockerfile', 'Docs/a', 'notestokens.txt', 'three.key', 'xx']);
  });

  it('includes the Dockerfile and the ignore file even if they are ignored, because the engine needs them', async () => {
    put('.dockerignore', '*\n!main.js\n');
    put('main.js');
    put('other.js');
    expect(await packed()).toEqual(['.dockerignore', 'Dockerfile', 'main.js']);
  });

  it('prefers an ignore file that belongs to the Dockerfile', async () => {
    put('.dockerignore', 'a\n');
    put('Dockerfile.dockerignore', 'b\n');
    put('a');
    put('b');
    expect(await packed()).toContain('a');
    expect(await packed()).not.toContain('b');
  });

  it('skips unreadable files in an ignored folder', async () => {
    for (const name of ['pgdata/base', 'half/file', 'src/main.js']) put(name);
    put('.dockerignore', '*\n!src\n');
    chmodSync(join(folder, 'pgdata'), 0o000);
    chmodSync(join(folder, 'half'), 0o444);
    expect(await asOther(() => packed())).toEqual(['.dockerignore', 'Dockerfile', 'src/main.js']);
  });

  it('reports a file that it cannot read as unreadable, not as changed', async () => {
    put('key.pem');
    chmodSync(join(folder, 'key.pem'), 0o000);
    await expect(asOther(() => packed())).rejects.toMatchObject({
      message: `cannot read ${join(folder, 'key.pem')}: permission denied`,
      extras: { hint: 'make it readable, or name it in .dockerignore' },
    });
    put('.dockerignore', '*.pem\n');
    expect(await asOther(() => packed())).toEqual(['.dockerignore', 'Dockerfile']);
  });

  it('accepts a path of 300 characters and a name that is not ASCII', async () => {
    const long = `${'d'.repeat(100)}/${'e'.repeat(100)}/${'f'.repeat(100)}`;
    put(long);
    put('größe ✓');
    expect(await packed()).toContain(long);
    expect(readFileSync(join(out, 'größe ✓'), 'utf8')).toBe('größe ✓');
  });

  it('omits sockets and pipes', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await packed()).toEqual(['Dockerfile']);
  });

  it('R164 fails if a file becomes a link after it was listed', async () => {
    put('a.bin', Buffer.alloc(3_000_001, 7));
    put('b.txt', 'own');
    const { archive } = await packContext(folder, 'Dockerfile');
    // The archive waits for its reader in the large file before this one.
    rmSync(join(folder, 'b.txt'));
    writeFileSync(join(out, 'secret'), 'key');
    symlinkSync(join(out, 'secret'), join(folder, 'b.txt'));
    const read = async (): Promise<void> => {
      for await (const chunk of archive) expect(Buffer.from(chunk).includes('key')).toBe(false);
    };
    await expect(read()).rejects.toThrow('it changed meanwhile');
  });

  it.each(['../Dockerfile', '/etc/passwd', 'missing'])('refuses the Dockerfile %s', async (dockerfile) => {
    await expect(packContext(folder, dockerfile)).rejects.toThrow(CliFailure);
  });
});
