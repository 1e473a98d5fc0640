// Names of actors: a second actor of the same name, and renaming, with the built program against the built daemon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let image: string;

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

beforeAll(async () => {
  home = await sharedHome();
  image = shellActor(home.folder);
});

afterAll(() => home.remove());

describe('actors create of a name that the caller uses already', () => {
  const create = (...more: string[]) => home.cli(['actors', 'create', image, '--name', 'again', ...more, '--json']);
  let id: string;
  beforeAll(async () => {
    ({ id } = JSON.parse((await create('--description', 'first', '-e', 'A=1')).stdout) as { id: string });
  });
  it('fails with exit code 7, and the hint names --if-exists', async () => {
    const { code, stdout, stderr } = await create('--description', 'second');
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(errorOf(stderr)).toMatchObject({
      code: 'ALREADY_EXISTS',
      message: `you already own an actor named "again": ${id}`,
      hint: 'update it, or add --if-exists keep|update|duplicate',
    });
  });
  it('with --if-exists keep leaves the actor unchanged', async () => {
    const kept = JSON.parse((await create('--description', 'second', '--if-exists', 'keep', '--wait')).stdout);
    expect(kept).toMatchObject({ id, description: 'first', version: 1, status: 'READY' });
  });
  it('with --if-exists update changes the named fields only', async () => {
    const updated = JSON.parse((await create('--description', 'second', '--if-exists', 'update')).stdout);
    expect(updated).toMatchObject({ id, description: 'second', default_environment: { A: '1' } });
    const { code, stderr } = await create('--stateful', '--if-exists', 'update');
    expect([code, errorOf(stderr)['message']]).toEqual([2, expect.stringContaining('cannot make again')]);
  });
  it('refuses --if-exists update if two actors have the name', async () => {
    const other = JSON.parse((await create('--if-exists', 'duplicate')).stdout) as { id: string };
    expect(other.id).not.toBe(id);
    const { code, stderr } = await create('--if-exists', 'update');
    expect([code, errorOf(stderr)['details']]).toEqual([7, { name: 'again', actors: [id, other.id] }]);
  });
  it('actors update renames an actor, but not to the name of another actor of the caller', async () => {
    const { id } = await home.json<{ id: string }>('actors', 'create', image, '--name', 'before', '-e', 'A=1');
    const renamed = await home.json('actors', 'update', 'before', '--name', 'after');
    expect(renamed).toMatchObject({ id, name: 'after', default_environment: { A: '1' }, changed: ['name'] });
    expect(await home.json('actors', 'update', 'after', '--description', 'd')).toMatchObject({ id, name: 'after' });
    expect(await home.cli(['actors', 'update', 'after', '--name', 'again'])).toMatchObject({ code: 7 });
  });
});

describe('a name that does not exist', () => {
  const hintOf = async (...args: string[]) => {
    const { code, stderr } = await home.cli([...args, '--json', '--yes']);
    return [code, errorOf(stderr)['hint']];
  };
  beforeAll(async () => {
    await home.json('actors', 'create', image, '--name', 'wordcount', '--alias', 'production');
    await home.json('configs', 'create', 'database', '--value', '1');
  });
  it.each([
    [['actors', 'show', 'wordcunt'], 'did you mean wordcount?'],
    [['run', 'producton', '-m', 'x'], 'did you mean production?'],
    [['aliases', 'show', 'producton'], 'did you mean production?'],
    [['aliases', 'set', 'producton', 'wordcount'], 'did you mean production?'],
    [['aliases', 'delete', 'producton'], 'did you mean production?'],
    [['configs', 'show', 'databas'], 'did you mean database?'],
    [['configs', 'set', 'databas', 'a=1'], 'did you mean database?'],
    [['configs', 'delete', 'databas'], 'did you mean database?'],
    [['actors', 'show', 'entirely-different'], 'actorctl actors list'],
  ])('%j suggests %s', async (args, hint) => {
    expect(await hintOf(...args)).toEqual([6, hint]);
  });
});

describe('a folder as the image', () => {
  it('becomes its file:// address', async () => {
    const folder = image.slice('file://'.length);
    const made = await home.json('actors', 'create', folder, '--name', 'folder');
    expect(made).toMatchObject({ image });
    const { code, stdout } = await home.cli(['actors', 'update', 'folder', '--image', '.', '--json'], { cwd: folder });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ image })]);
  });
});
