// Import rules: dependency-cruiser checks which module may import which, and these tests check that it detects
// violations.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const cruise = (folder: string, ...from: string[]) =>
  spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.mjs',
      ...from,
    ],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );

describe('the import rules', () => {
  it('are followed everywhere', { timeout: 120_000 }, () => {
    const result = cruise(root, 'bin', 'src', 'daemon');
    expect(result.stdout).toContain('no dependency violations found');
    expect(result.status).toBe(0);
    // A tool that finds no modules would report success too.
    expect(Number(/(\d+) modules/.exec(result.stdout)?.[1])).toBeGreaterThan(40);
  });

  it('detect violations', { timeout: 120_000 }, () => {
    const copy = mkdtempSync(join(tmpdir(), 'actorctl-floors-'));
    try {
      for (const name of ['bin', 'src', 'daemon', 'tsconfig.json', 'package.json', '.dependency-cruiser.mjs']) {
        cpSync(join(root, name), join(copy, name), { recursive: true });
      }
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      appendFileSync(
        join(copy, 'src/contract/wire.ts'),
        "\nexport { Failure } from '../../daemon/domain/failure.ts';\n",
      );
      appendFileSync(join(copy, 'daemon/domain/failure.ts'), "\nexport { readFileSync } from 'node:fs';\n");
      const result = cruise(copy, 'src/contract', 'daemon/domain');
      expect(result.status).not.toBe(0);
      expect(result.stdout).toContain('src-never-daemon');
      expect(result.stdout).toContain('domain-is-pure');
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it('no folder holds more than 20 files, except the numbered decisions', () => {
    const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const counts = new Map<string, number>();
    for (const file of files.filter((each) => !each.startsWith('docs/adr/')))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
  });

  it('every file has fewer than 250 lines, or its first comment says why not', () => {
    const files = execFileSync('git', ['ls-files', 'bin/*.ts', 'src/*.ts', 'daemon/*.ts', 'test/*.ts'], {
      cwd: root,
      encoding: 'utf8',
    })
      .trim()
      .split('\n');
    const guilty = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return text.split('\n').length > 251 && !/^(\/\/.*\n)*\/\/.*\b(long|over 250 lines)\b/i.test(text);
    });
    expect(guilty).toEqual([]);
  });
});
