// `dev` of a project: a temporary instance, one log, one update per change, and no remains at the end.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
let folder: string;

/** A process actor that prints a fixed text and its message. */
const actor = (name: string, word: string): void => {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'main.sh'), `echo "${word} $UNITS"\n`);
  writeFileSync(join(folder, name, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
};
const project = (units: string): void =>
  writeFileSync(
    join(folder, 'actorctl.yaml'),
    `project: pair\nactors:\n  first: { image: ./first, link: second, webhook: 'http://127.0.0.1:9/', env: { UNITS: ${units} } }\n  second: { image: ./second, env: { UNITS: ${units} } }\n`,
  );
const instances = (): readonly string[] =>
  readdirSync(join(home.folder, 'state')).filter((name) => name.startsWith('dev-'));

beforeAll(() => {
  home = inProcessHome();
  mkdirSync(join(home.folder, 'state'));
  folder = join(home.folder, 'pair');
  actor('first', 'one');
  actor('second', 'two');
});
afterAll(() => home.remove());

it('runs all actors in a temporary instance, applies every change, and leaves nothing behind', async () => {
  project('metric');
  const running = home.start(['dev', '-f', folder], {});
  const says = (text: string | RegExp) => expect.poll(() => running.out() + running.err()).toMatch(text);
  await says(/project pair runs/);
  expect(running.err()).not.toMatch(/^READY in/m);
  const [instance = ''] = instances();
  const send = (): Promise<unknown> => home.json('send', 'first', '-m', 'hi', '--instance', instance);
  await send();
  await says(/^first {2}\| one metric$/m);
  await says(/^second \| two metric$/m);
  expect(await home.json('actors', 'show', 'first', '--instance', instance)).toMatchObject({ webhook: '' });
  project('imperial');
  await says(/changed +actor first \(\w+\): env\.UNITS: metric -> imperial/);
  await send();
  await says(/^second \| two imperial$/m);
  writeFileSync(join(folder, 'actorctl.yaml'), 'project: pair\nactrs: {}\n');
  await says(/no field named "actrs"; waiting for a change/);
  project('kelvin');
  await says(/env\.UNITS: imperial -> kelvin/);
  running.interrupt();
  expect((await running.ended).code).toBe(0);
  expect(instances()).toEqual([]);
  expect(await home.json('auth', 'list', '--instance', instance)).toEqual([]);
});
