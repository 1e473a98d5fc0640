// What `actors check` says of the source of an actor.
import { expect, it } from 'vitest';
import { sourceFindings } from '../../../src/commands/actors/check/check-rules.ts';
import { languages } from '../../../src/commands/actors/init/template-languages.ts';

const idsOf = (source: string, isSwarm: boolean): string[] =>
  sourceFindings([source], [], isSwarm).map(({ id, level }) => `${level} ${id}`);

it.each([
  ['echo "$MSG"', ['warning long-message'], ['warning long-message', 'warning very-long-message']],
  ['cat "${MSG_FILE:-}"; echo "$MSG"', [], ['warning very-long-message']],
  ['wget "$MSG_URL"; cat "$MSG_FILE"; echo "$MSG"', [], []],
  ['echo "no message is read"', [], []],
])('%s gets the warnings %o, and on a swarm %o', (source, alone, onSwarm) => {
  expect(idsOf(source, false)).toEqual(alone);
  expect(idsOf(source, true)).toEqual(onSwarm);
});

it.each(Object.entries(languages))('the template %s reads messages of every length', (_, { sources }) => {
  for (const stateful of [false, true]) {
    const all = Object.values(sources(stateful)).join('\n');
    expect(idsOf(all, true)).toEqual([]);
  }
});
