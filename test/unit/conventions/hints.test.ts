// A hint that begins with a command is printed as `try: COMMAND`, so the whole hint must be that command.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SRC = new URL('../../../src/', import.meta.url).pathname;

/** Literals in the place of a hint: after `hint:`, or as the second argument of `usage`. */
const HINT = /(?:hint: ?|usage\(\s*(?:`[^`]*`|'[^']*'|[\w.]+),\s*)(?:`(actorctl [^`]*)`|'(actorctl [^']*)')/g;

const hints = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) =>
    [...readFileSync(join(SRC, file), 'utf8').matchAll(HINT)].map(([, one, two]) => `${file}: ${one ?? two}`),
  );

/** Joins a command to a sentence. */
const PROSE = /[,;] | (?:or|and|to|shows|lists|prints|then) /;

it('hints that begin with a command consist of that command', () => {
  expect(hints.length).toBeGreaterThan(30);
  expect(hints.filter((hint) => PROSE.test(hint))).toEqual([]);
});
