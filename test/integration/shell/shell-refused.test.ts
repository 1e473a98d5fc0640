// Shells that an engine or an instance does not have.
import { expect, it } from 'vitest';
import { build, closeHarnesses, harness } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

const open = (id: string) => harness.scheduler.shells.open(id, { command: [] }, new AbortController().signal);

it('a shell on an engine without shells, such as a swarm, is refused with another way', async () => {
  await build();
  const id = await harness.send(await harness.actor());
  await harness.final(id);
  await expect(open(id)).rejects.toMatchObject({
    code: 'VALIDATION',
    message: expect.stringMatching(/on a swarm.*docker run/),
  });
});

it('a shell in an execution that the instance does not have is refused', async () => {
  await build();
  await expect(open('nosuch')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
