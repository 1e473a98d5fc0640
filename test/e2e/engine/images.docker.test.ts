// The list of images of a real engine: an actor is created from a name in it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(await dockerRequirement(), 'admin images', () => {
  const images = testImages();
  let home: Home;

  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    await images.remove();
  });

  it('lists a name with which an actor is created and runs', async () => {
    const made = await images.script('echo "from the list: $MSG"');
    const listed = await home.json<readonly { name: string; size: number; created: string }[]>(
      'admin',
      'images',
      '--all',
    );
    const found = listed.find(({ name }) => name === made || name.endsWith(`/${made}`));
    expect(found).toMatchObject({ name: expect.any(String), size: expect.any(Number) });
    expect(found?.size).toBeGreaterThan(100_000);
    expect(listed.map(({ created }) => created)).toEqual(
      listed
        .map(({ created }) => created)
        .toSorted()
        .toReversed(),
    );
    await home.json('actors', 'create', found?.name ?? '', '--name', 'listed', '--wait');
    expect((await home.cli(['run', 'listed', '-m', 'hello'])).stdout).toBe('from the list: hello\n');
  });
});
