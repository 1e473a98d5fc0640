// Configs in the environment of executions: an execution sees the configs at its start, even if its container was
// created earlier.
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import { actorOf, build, closeHarnesses, harness, statusOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

/** Collects the environment of each run of the image `spy`. */
const spy = (): readonly Readonly<Record<string, string>>[] => {
  const seen: Readonly<Record<string, string>>[] = [];
  harness.world.images.set('spy', async ({ environment }) => {
    seen.push(environment);
    return 0;
  });
  return seen;
};

describe('configs of an execution', () => {
  it('are read at its start, although its container was created earlier', async () => {
    await build();
    const seen = spy();
    let asked = 0;
    harness.configs = () => {
      asked += 1;
      return asked === 1 ? '{"v":1}' : '{"v":2}';
    };
    const actor = await harness.actor({ image: 'spy' });
    await harness.final(await harness.send(actor));
    expect(seen.map((environment) => environment['_actor_configs'])).toEqual(['{"v":2}']);
    await harness.until(() => harness.world.runs.size === 0);
  });

  it('prevent its start while they cannot be opened, and the actor names the reason', async () => {
    await build();
    const seen = spy();
    harness.configs = () => {
      throw new Failure('STORE_UNAVAILABLE', 'The secret config db cannot be decrypted: the key is missing.');
    };
    const actor = await harness.actor({ image: 'spy' });
    const id = await harness.send(actor);
    await harness.until(() => statusOf(actor) === 'ERROR');
    expect(actorOf(actor)?.statusMessage).toContain('the key is missing');
    expect(harness.execution(id)).toMatchObject({ status: 'SUBMITTED' });
    expect(seen).toEqual([]);
    harness.configs = () => '{}';
    await harness.update(actor, { status: 'SUBMITTED', startFailures: 0, statusMessage: '' });
    await harness.final(id);
    expect(seen).toHaveLength(1);
  });

  it('are passed in a file if they are too large for a variable', async () => {
    await build();
    const seen = spy();
    const text = JSON.stringify({ big: 'x'.repeat(140_000) });
    harness.configs = () => text;
    await harness.final(await harness.send(await harness.actor({ image: 'spy' })));
    expect(seen[0]).not.toHaveProperty('_actor_configs');
  });
});
