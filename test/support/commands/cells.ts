// What each cell of the matrix of commands asserts.
import { expect } from 'vitest';
import type { Ended } from '../daemon/home.ts';
import type { Invocation, Line, Other, Row } from './row.ts';
import type { Situation, World } from './world.ts';

/** One cell: a command in one situation. */
export interface Cell {
  readonly title: string;
  readonly check: (world: World) => Promise<void>;
}

const STACK = /^\s+at .+:\d+:\d+\)?$/m;
/** Values that a sentence or a table must not show. */
const SLOPPY = /\[object \w+\]|\bundefined\b|\bNaN\b/;

/** The outcome, for the message of a failed test. */
const shown = ({ code, stdout, stderr }: Ended): string => `exit ${code}\n${stdout}${stderr}`;

const neat = (ended: Ended): void => {
  expect(ended.stdout).not.toMatch(STACK);
  expect(ended.stderr).not.toMatch(STACK);
  expect(ended.stdout).not.toMatch(SLOPPY);
  expect(ended.stderr).not.toMatch(SLOPPY);
  expect(ended.stderr).not.toContain('run it again with --debug');
};

const succeeds = (ended: Ended, line: Line): void => {
  const code = typeof line === 'string' ? 0 : (line.ends?.code ?? 0);
  expect(ended.code, shown(ended)).toBe(code);
  neat(ended);
};

/** A refusal for people: the message, and a line that says what to do. */
const refuses = (ended: Ended, code: number): void => {
  expect(ended.code, shown(ended)).toBe(code);
  expect(ended.stderr).toMatch(/^error: .+\n(?:.*\n)*(?:try|hint): ./m);
  expect(ended.stdout).toBe('');
  neat(ended);
};

const refusesAsJson = (ended: Ended): void => {
  expect(ended.code, shown(ended)).toBeGreaterThan(0);
  expect(ended.stdout).toBe('');
  expect(JSON.parse(ended.stderr)).toEqual({
    error: expect.objectContaining({
      code: expect.stringMatching(/^[A-Z_]+$/),
      category: expect.stringMatching(/^[a-z_]+$/),
      message: expect.stringMatching(/./),
      retryable: expect.any(Boolean),
    }),
  });
};

const isOther = (cell: object): cell is Other => 'says' in cell;

/** The situation and the line of the first refusal of a command, in the order of the columns. */
const refusalOf = (row: Row): { readonly line: Line; readonly situation: Situation } | undefined => {
  const { wrongName, noArgument, daemonDown, notLoggedIn, success } = row;
  if (typeof wrongName === 'string' || 'line' in wrongName) return { line: lineOf(wrongName, ''), situation: 'up' };
  if (noArgument === 'usage' || isOther(noArgument)) return { line: '', situation: 'up' };
  if (typeof success === 'object' && 'none' in success) return undefined;
  if (daemonDown === undefined) return { line: success, situation: 'down' };
  return notLoggedIn === undefined ? { line: success, situation: 'loggedOut' } : undefined;
};

const lineOf = (cell: Line | Other, usual: Line): Line => {
  if (typeof cell === 'string') return cell;
  return isOther(cell) ? (cell.line ?? usual) : cell;
};

const other = (ended: Ended, { code, says }: Other): void => {
  expect(ended.code, shown(ended)).toBe(code);
  expect(ended.stdout + ended.stderr).toMatch(says);
  neat(ended);
};

/** The cells of a command that apply. */
export const cellsOf = (command: string, usageLine: string, row: Row): readonly Cell[] => {
  const cells: Cell[] = [];
  const add = (title: string, check: Cell['check']): void => void cells.push({ title: `${command} ${title}`, check });
  const { success, json, wrongName, noArgument } = row;
  const applies = typeof success === 'string' || !('none' in success) ? success : undefined;
  if (applies !== undefined) {
    add('succeeds', async (world) => {
      const ended = await world.run(command, applies, 'up');
      succeeds(ended, applies);
      if (row.silent === undefined) expect(ended.stdout).not.toBe('');
      else expect(ended.stdout).toBe('');
    });
    if (json === 'value' || json === 'lines')
      add('prints JSON with --json', async (world) => {
        const ended = await world.run(command, applies, 'up', '--json');
        succeeds(ended, applies);
        const texts = json === 'value' ? [ended.stdout] : ended.stdout.split('\n').filter((text) => text !== '');
        expect(texts.length).toBeGreaterThan(0);
        for (const text of texts) expect(() => JSON.parse(text) as unknown, text).not.toThrow();
      });
  }
  const refusal = refusalOf(row);
  if (refusal !== undefined && row.plainErrors === undefined)
    add('prints an error as JSON with --json', async (world) =>
      refusesAsJson(await world.run(command, refusal.line, refusal.situation, '--json')),
    );
  if (typeof wrongName === 'string' || !('none' in wrongName))
    add('refuses a name that does not exist', async (world) => {
      const ended = await world.run(command, lineOf(wrongName, ''), 'up');
      if (typeof wrongName === 'object' && isOther(wrongName)) return other(ended, wrongName);
      refuses(ended, 6);
      expect(ended.stderr).toMatch(/"(?:\w+[:/])?nosuch"/);
    });
  if (noArgument === 'usage')
    add('without an argument prints its usage', async (world) => {
      const ended = await world.run(command, '', 'up');
      refuses(ended, 2);
      expect(ended.stderr).toContain('missing required argument "');
      // An actor at the end may come from the project of the folder.
      expect(ended.stderr).toContain(usageLine.includes('<') ? usageLine : 'folder with actorctl.json');
    });
  else if (isOther(noArgument))
    add('without an argument is refused', async (world) =>
      other(await world.run(command, noArgument.line ?? '', 'up'), noArgument),
    );
  const without = (
    what: string,
    situation: Situation,
    cell: Row['daemonDown'],
    usual: { code: number; next: string },
  ): void => {
    if (cell !== undefined && 'none' in cell) return;
    if (cell !== undefined && isOther(cell)) {
      add(`${what}: another outcome`, async (world) =>
        other(await world.run(command, lineOf(cell, applies ?? ''), situation), cell),
      );
      return;
    }
    if (applies === undefined) return;
    const plain: Invocation = typeof applies === 'string' ? { line: applies } : applies;
    if (cell !== undefined) {
      add(`${what}: works`, async (world) => succeeds(await world.run(command, plain, situation), plain));
      return;
    }
    add(`${what}: says so`, async (world) => {
      const ended = await world.run(command, plain, situation);
      refuses(ended, usual.code);
      expect(ended.stderr).toContain(usual.next);
    });
  };
  without('with the daemon down', 'down', row.daemonDown, { code: 9, next: 'try: actorctl up\n' });
  without('without a login', 'loggedOut', row.notLoggedIn, { code: 4, next: 'try: actorctl login\n' });
  return cells;
};
