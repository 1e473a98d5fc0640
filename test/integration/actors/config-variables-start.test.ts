// Variables from configs reach an execution with the values of its start, and a config that is not shared fails it.
import { describe, expect, it } from 'vitest';
import { actorOf, build, closeHarnesses, harness } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

const secret = (text: string) => [{ name: 'key', isSecret: true, text }];
const configEnvironment = { API_KEY: { config: 'key', path: 'token' } };

const printing = () => {
  const secretNames: (readonly string[] | undefined)[] = [];
  harness.world.images.set('printing', async ({ out, environment, spec }) => {
    secretNames.push(spec.secretVariables);
    out(`${environment['API_KEY']}`);
    return 0;
  });
  return secretNames;
};

describe('a variable from a config', () => {
  it('has the value of the start, as a secret for the executor, and is in no record', async () => {
    await build();
    const secretNames = printing();
    harness.shared = secret('{"token":"value-1"}');
    harness.secrets = ['"nothing to mask"'];
    const actor = await harness.actor({ image: 'printing', configEnvironment });
    const first = await harness.send(actor);
    await harness.final(first);
    harness.shared = secret('{"token":"value-2"}');
    const second = await harness.send(actor);
    await harness.final(second);
    expect([await harness.logs.read(first), await harness.logs.read(second)]).toEqual(['value-1', 'value-2']);
    expect(secretNames).toEqual([
      ['_actor_configs', 'API_KEY'],
      ['_actor_configs', 'API_KEY'],
    ]);
    expect(JSON.stringify([actorOf(actor), harness.store.get('executions', first)])).not.toContain('value-');
  });

  it('is the one of the claim if the config changes between the creation and the claim', async () => {
    await build();
    printing();
    harness.shared = secret('{"token":"old"}');
    harness.secrets = ['"nothing to mask"'];
    const created: string[] = [];
    harness.world.faults.create = async ({ environment }) => {
      created.push(environment['API_KEY'] ?? '');
      harness.shared = secret('{"token":"new"}');
      return undefined;
    };
    const id = await harness.send(await harness.actor({ image: 'printing', configEnvironment }));
    await harness.final(id);
    expect(await harness.logs.read(id)).toBe('new');
    expect(created).toEqual(['old', 'new']);
  });

  it('fails the start by name while its config is not shared, and the next attempt runs if it is shared by then', async () => {
    await build();
    printing();
    const said: string[] = [];
    harness.store.watch('actors', ({ startFailures, statusMessage }) => {
      if (startFailures === 0) return;
      said.push(statusMessage);
      harness.shared = secret('{"token":"shared"}');
    });
    harness.secrets = ['"nothing to mask"'];
    const id = await harness.send(await harness.actor({ image: 'printing', configEnvironment }));
    await harness.final(id);
    expect(await harness.logs.read(id)).toBe('shared');
    expect(said).toEqual([
      expect.stringMatching(/1 of 6.*the variable API_KEY needs the config "key", which is not shared with this actor/),
    ]);
  });

  it('puts the actor into ERROR after two starts with the cause, and the message waits until a retry', async () => {
    await build();
    printing();
    harness.shared = secret('{"other":1}');
    const actor = await harness.actor({ image: 'printing', configEnvironment });
    const id = await harness.send(actor);
    await expect.poll(() => actorOf(actor)?.status).toBe('ERROR');
    expect(actorOf(actor)?.statusMessage).toContain('API_KEY needs "token" of the config "key"');
    expect(actorOf(actor)?.statusMessage).not.toContain('of 6');
    expect(harness.store.get('executions', id)).toMatchObject({ status: 'SUBMITTED' });
    expect(actorOf(actor)?.startFailures).toBe(2);
    harness.shared = secret('{"token":"corrected"}');
    harness.secrets = ['"nothing to mask"'];
    await harness.update(actor, { status: 'SUBMITTED', startFailures: 0, statusMessage: '' });
    await harness.final(id);
    expect(await harness.logs.read(id)).toBe('corrected');
  });
});
