// Import rules: dependency-cruiser checks which module may import which (`npm run lint:layers`), and these tests check that it
// detects violations; the types without optional dependencies; and the sizes of folders and files.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
interface Cruise {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

const cruise = (folder: string, ...from: string[]): Cruise => {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...from];
  const { stdout } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Cruise;
};

describe('the import rules', () => {
  // `npm run lint:layers` shows that the whole tree follows them; here two files break them.
  it('detect violations', () => {
    const copy = mkdtempSync(join(tmpdir(), 'actorctl-layers-'));
    try {
      for (const name of [
        'src/contract',
        'daemon/domain',
        'tsconfig.json',
        'package.json',
        '.dependency-cruiser.mjs',
      ]) {
        cpSync(join(root, name), join(copy, name), { recursive: true });
      }
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      const [contract, domain] = ['src/contract/wire.ts', 'daemon/domain/failure.ts'];
      appendFileSync(join(copy, contract), "\nexport { Failure } from '../../daemon/domain/failure.ts';\n");
      appendFileSync(join(copy, domain), "\nexport { readFileSync } from 'node:fs';\n");
      const { violations } = cruise(copy, contract, domain).summary;
      expect(violations.map(({ from, rule }) => `${from} ${rule.name}`).toSorted()).toEqual([
        'daemon/domain/failure.ts domain-is-pure',
        'src/contract/wire.ts src-never-daemon',
      ]);
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

describe('the types of a file that imports an optional dependency', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };

  it.each(Object.keys(optionalDependencies))('do not need %s to be installed', (dependency) => {
    const copy = mkdtempSync(join(tmpdir(), 'actorctl-types-'));
    try {
      for (const name of ['src', 'tsconfig.json', 'package.json'])
        cpSync(join(root, name), join(copy, name), { recursive: true });
      mkdirSync(join(copy, 'node_modules'));
      for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== dependency))
        symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
      const include = execFileSync('git', ['grep', '-l', `'${dependency}'`, '--', 'src/*.ts'], {
        cwd: root,
        encoding: 'utf8',
      });
      const project = { extends: './tsconfig.json', include: include.trim().split('\n') };
      writeFileSync(join(copy, 'importers.json'), JSON.stringify(project));
      const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
      const args = [compiler, '--project', 'importers.json', '--incremental', 'false'];
      expect(spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stdout: '',
      });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
