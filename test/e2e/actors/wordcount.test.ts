// The word-count actor on a text the size of a book. Its counts are compared with those of independent tools.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { book } from '../../support/engine/book.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const example = fileURLToPath(new URL('../../../examples/wordcount', import.meta.url));
const docker = await dockerRequirement();

/** The counts that `wc`, `tr`, `sort` and `uniq` of this machine give for a file, in the format of the actor. */
const counted = (file: string): string => {
  const shell = (command: string) =>
    execFileSync('sh', ['-c', command, 'sh', file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const [lines, words, characters] = shell('wc < "$1"').trim().split(/\s+/);
  const frequent = shell(
    `tr -cs 'A-Za-z' '\\n' < "$1" | tr 'A-Z' 'a-z' | grep -v '^$' | sort | uniq -c | sort -k1,1nr -k2,2 | head -n 10`,
  )
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line.trim()}\n`)
    .join('');
  return `lines      ${lines}\nwords      ${words}\ncharacters ${characters}\nmost frequent words:\n${frequent}`;
};

/** The image of the word-count actor, and of an actor that runs a shell script. */
interface Images {
  readonly wordcount: () => Promise<string>;
  readonly script: (text: string) => Promise<string>;
}

const countsABook = ({ wordcount, script }: Images) => {
  let home: Home;
  let file: string;
  beforeAll(async () => {
    home = inProcessHome();
    file = join(home.folder, 'book.txt');
    writeFileSync(file, book(1_200_000));
    await home.up();
    await home.json('actors', 'create', await wordcount(), '--name', 'wordcount', '--wait', '--timeout', '60s');
  });
  afterAll(() => home.remove());

  it('the word-count actor counts a binary message of more than 1 MB like wc and uniq', async () => {
    const { code, stdout, stderr } = await home.cli(['run', 'wordcount', '-f', file, '--type', 'binary']);
    expect(stderr).toContain('complete');
    expect(code).toBe(0);
    expect(stdout).toBe(counted(file));
  });

  it('the word-count actor counts a large text message, which it gets as a file', async () => {
    const { code, stdout } = await home.cli(['run', 'wordcount', '-f', file, '--type', 'text']);
    expect(code).toBe(0);
    expect(stdout).toBe(counted(file));
  });

  it('counts a short text in MSG, and keeps the log', async () => {
    const short = join(home.folder, 'short.txt');
    writeFileSync(short, 'to be or not to be\nthat is the question\n');
    const { code, stdout } = await home.cli(['run', 'wordcount', '-f', short]);
    expect(code).toBe(0);
    expect(stdout).toBe(counted(short));
    expect((await home.cli(['logs', 'wordcount'])).stdout).toBe(stdout);
  });

  it("run exits with 11 when the actor fails, and shows the actor's stderr on stderr", async () => {
    const image = await script('echo begun; echo no such word >&2; exit 3');
    await home.json('actors', 'create', image, '--name', 'failing', '--wait', '--timeout', '60s');
    const { code, stdout, stderr } = await home.cli(['run', 'failing', '-m', 'x']);
    expect(code).toBe(11);
    expect(stdout).toBe('begun\n');
    expect(stderr).toContain('no such word');
    expect(stderr).toContain('exit 3');
    expect((await home.cli(['run', 'failing', '-m', 'x', '--exit-code', 'propagate'])).code).toBe(3);
  });
};

describe('the word-count actor as a file: actor', () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  countsABook({
    wordcount: async () => `file://${example}`,
    async script(text) {
      const folder = mkdtempSync(join(tmpdir(), 'actorctl-actor-'));
      folders.push(folder);
      writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', text] }));
      return `file://${folder}`;
    },
  });
});

describeIf(docker, 'the word-count actor in a container', () => {
  let images: TestImages;
  beforeAll(() => {
    images = testImages();
  });
  afterAll(() => images.remove());
  countsABook({
    wordcount: () => images.script(readFileSync(join(example, 'wordcount.sh'), 'utf8')),
    script: (text) => images.script(text),
  });
});
