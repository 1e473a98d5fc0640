// The text of every help page: lines that fit a terminal, sentences that are not broken, and only flags that work.
import { beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../../../src/commands/framework/catalog.ts';
import { loadLeaves, loadNode } from '../../../src/commands/framework/command.ts';
import { plan } from '../../../src/program.ts';

const WIDTH = 80;

const helpOf = async (...argv: string[]): Promise<string> => {
  const result = await plan([...argv, '--help']);
  if (result.kind !== 'tell') throw new Error('a command was planned');
  return result.text;
};

/** Lines that end before the first word of the next line would have been too long, in the middle of a sentence. */
const brokenLines = (text: string): readonly string[] => {
  const lines = text.split('\n');
  return lines.filter((line, index) => {
    const next = lines[index + 1] ?? '';
    if (!/^[A-Za-z]/.test(line) || !/^[a-z]/.test(next) || /[.:]$/.test(line)) return false;
    return line.length + 1 + next.split(' ', 1).join('').length < WIDTH;
  });
};

describe('help', () => {
  let pages: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const leaves = (await Promise.all(catalog.map(async (entry) => loadLeaves(await loadNode(entry))))).flat();
    const paths = ['', ...leaves.map(({ path }) => path)];
    pages = new Map(
      await Promise.all(paths.map(async (each) => [each, await helpOf(...each.split(' ').filter(Boolean))] as const)),
    );
  });

  it('of every command breaks no sentence', () => {
    const broken = [...pages].flatMap(([name, text]) => brokenLines(text).map((line) => `${name}: ${line}`));
    expect(broken).toEqual([]);
  });

  it('lists the topics in lines that fit a terminal', () => {
    const lines = (pages.get('') ?? '').split('\n');
    expect(lines).toContain('To read one: actorctl help TOPIC');
    expect(lines.filter((line) => line.length > WIDTH)).toEqual([]);
  });

  it('lists no flag that is always refused', async () => {
    for (const text of pages.values()) expect(text).not.toContain('not supported');
    expect(pages.get('executions rerun')).not.toContain('--image');
    await expect(plan(['executions', 'rerun', 'x', '--image', 'y'])).resolves.toMatchObject({ kind: 'run' });
  });
});
