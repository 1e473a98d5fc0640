// `docs` and `open --docs`, run in this process.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/commands/tools/docs.ts';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

let home: SharedHome;
let baseUrl: string;

beforeAll(async () => {
  home = await sharedHome({ ACTORCTL_BROWSER: 'none' });
  ({ baseUrl } = home);
});

afterAll(() => home.remove());

describe('docs', () => {
  it('lists the pages, and prints each', async () => {
    const listed = await home.json<{ topic: string }[]>('docs');
    expect(listed.map(({ topic }) => topic)).toEqual(pages.map(({ topic }) => topic));
    for (const { topic, file: own = `${topic}.md` } of pages) {
      const file = (await home.cli(['docs', topic, '--path'])).stdout.trim();
      expect(path.basename(file)).toBe(path.basename(own));
      expect((await home.cli(['docs', topic])).stdout).toBe(readFileSync(file, 'utf8'));
    }
  });

  it('lists exactly the pages that the package includes', () => {
    const { files } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      files: string[];
    };
    expect(files).toContain('docs');
    const packaged = readdirSync(new URL('../../../docs', import.meta.url)).filter(
      (name) => name.endsWith('.md') && name !== 'README.md' && !files.includes(`!docs/${name}`),
    );
    const listed = pages.flatMap(({ topic, file }) => (file === undefined ? [`${topic}.md`] : []));
    expect(packaged.sort()).toEqual(listed.sort());
  });

  it('in the package exclude the pages about developing the program', () => {
    const { files } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      files: string[];
    };
    const leftOut = files.flatMap((file) => /^!docs\/(.+\.md)$/.exec(file)?.[1] ?? []);
    expect(leftOut.sort()).toEqual(['architecture.md', 'bench.md', 'contributing.md']);
  });

  it('print one section with its subsections, and no line of code as a heading', async () => {
    const { stdout } = await home.cli(['docs', 'actors#results']);
    const page = readFileSync(new URL('../../../docs/actors.md', import.meta.url), 'utf8');
    expect(stdout).toMatch(/^## Results\n/);
    expect(page).toContain(stdout.trimEnd());
    expect(stdout).toContain('### Results while the program runs');
    expect(stdout).not.toContain('## State');
    expect(await home.cli(['docs', 'actors#result'])).toMatchObject({
      code: 2,
      stderr: 'error: the page "actors" has no section "result"\nhint: did you mean "actorctl docs actors#results"?\n',
    });
    expect((await home.cli(['docs', 'schema#x'])).code).toBe(2);
  });

  it('are searched for sections with all words, each with a command that prints it', async () => {
    const hits = await home.json<{ section: string; line: string; command: string }[]>(
      'docs',
      '--search',
      'SECRET MASKed',
    );
    expect(hits.map(({ section }) => section)).toContain('actors#secrets-in-the-log');
    for (const { command } of hits) {
      const { code, stdout } = await home.cli(command.split(' ').slice(1));
      expect([code, stdout.toLowerCase()]).toEqual([0, expect.stringMatching(/secret[\s\S]*mask|mask[\s\S]*secret/)]);
    }
    expect(await home.json('docs', '--search', 'no-such-word-here')).toEqual([]);
    expect((await home.cli(['docs', 'cli', '--search', 'x'])).code).toBe(2);
    expect((await home.cli(['docs', '--search', ' '])).code).toBe(2);
  });

  it('of an unknown topic is an error with a suggestion', async () => {
    const { code, stderr } = await home.cli(['docs', 'http-ap']);
    expect(code).toBe(2);
    expect(stderr).toBe('error: no page named "http-ap"\nhint: did you mean "actorctl docs http-api"?\n');
  });
});

describe('open --docs', () => {
  it('prints the address of the page where no browser can be opened', async () => {
    expect(await home.cli(['open', '--docs'])).toEqual({
      code: 0,
      stdout: `${baseUrl}/docs\n`,
      stderr: 'no browser is opened: it is switched off\n',
    });
    expect(await home.cli(['open', '--docs', '--print'])).toEqual({ code: 0, stdout: `${baseUrl}/docs\n`, stderr: '' });
  });

  it('starts the browser with the address', async () => {
    const env = { ACTORCTL_BROWSER: 'true %s' };
    expect(await home.json('open', '--docs', '--print')).toEqual({ address: `${baseUrl}/docs`, opened: false });
    const { stdout } = await home.cli(['open', '--docs', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ address: `${baseUrl}/docs`, opened: true });
  });
});

describe('docs on a terminal', () => {
  const env = (pager: string) => ({ ...process.env, ...home.env, ACTORCTL_PAGER: pager, NO_COLOR: '1' });

  it('are formatted, and shown in the pager of the user, whose flags the shell splits', async () => {
    const { code, text } = await onTerminal('docs concepts', env("sed -e 's/^/| /'"), [], 60);
    expect(code).toBe(0);
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^\| \w/);
    expect(lines.filter((line) => !line.startsWith('| '))).toEqual([]);
    expect(text).not.toContain('#');
  });

  it.each(['cat', '', 'no-such-pager-here'])('are shown without a pager if it is %j', async (pager) => {
    const { code, text } = await onTerminal('docs concepts', env(pager), [], 60);
    expect(code).toBe(0);
    expect(text).toContain('Concepts\r\n');
  });

  it('do not wait for the rest of a page whose pager was left', async () => {
    const { code, text } = await onTerminal('docs cli', env('head -n 1'), [], 60);
    expect([code, text]).toEqual([0, 'The command line\r\n']);
  });

  it('stay in the pager after Ctrl-C, which is for the pager', async () => {
    // Two signals within a second count as one.
    const pager =
      "trap '' INT; cat > /dev/null; echo first; read line < /dev/tty; sleep 1.1; echo second; read line < /dev/tty; echo left";
    const twice = ['first', 'second'].map((asked) => [asked, '\u0003'] as const);
    const { code, text } = await onTerminal('docs concepts', env(pager), twice, 60);
    expect([code, text]).toEqual([0, expect.stringMatching(/left\r\n$/)]);
  });

  it('are printed as they are stored with --plain', async () => {
    const { text } = await onTerminal('docs concepts --plain', env('sed s/^/wrong/'), [], 60);
    expect(text).toMatch(/^# Concepts\r\n/);
  });
});
