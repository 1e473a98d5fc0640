// The list of commands in groups, and the words of other tools.
import { describe, expect, it } from 'vitest';
import { catalog, helpGroups } from '../../../src/commands/framework/catalog.ts';
import { CliFailure } from '../../../src/failure.ts';
import { plan } from '../../../src/program.ts';

const refused = async (...argv: string[]): Promise<CliFailure> => {
  try {
    await plan(argv);
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('the list of commands', () => {
  const help = async (): Promise<string> => {
    const result = await plan(['--help']);
    return result.kind === 'tell' ? result.text : '';
  };

  it('is in groups, each command once, and begins with what a newcomer needs', async () => {
    const text = await help();
    const titles = helpGroups.map(({ title }) => `${title}:`);
    expect(text.split('\n').filter((line) => titles.includes(line))).toEqual(titles);
    const first = text.slice(text.indexOf('Start here:'), text.indexOf('Actors:')).match(/^ {2}\S+/gm);
    expect(first?.map((name) => name.trim())).toEqual(['up', 'init', 'run', 'logs', 'open']);
    const listed = [...text.matchAll(/^ {2}([a-z]\S*) {2,}\S/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(catalog.map(({ name }) => name).toSorted());
  });

  it('names only commands that exist in its groups', () => {
    const names = catalog.map(({ name }) => name);
    expect(helpGroups.flatMap(({ commands }) => commands).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('names the flags of every command', async () => {
    const text = await help();
    for (const flag of ['--context', '--instance', '--output', '--no-input']) expect(text).toContain(flag);
  });

  it.each([
    ['ps', 'actorctl activity'],
    ['rm', 'actorctl actors delete'],
    ['invoke', 'actorctl run'],
    ['deploy', 'actorctl actors deploy'],
    ['stop', 'actorctl down'],
  ])('is searched with the words of other tools: %s', async (word, command) => {
    expect((await refused(word)).extras.hint).toBe(`did you mean ${command}?`);
    expect((await refused('help', word)).extras.hint).toBe(
      `did you mean "${command.replace('actorctl', 'actorctl help')}"?`,
    );
  });
});
