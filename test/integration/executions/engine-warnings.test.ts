// Executions on an engine that lacks something, with a real store, real logs and an engine in memory.
import { describe, expect, it } from 'vitest';
import { NO_API } from '../../../daemon/domain/executions/run-warnings.ts';
import { build, closeHarnesses, gated, harness } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

const means = {
  limitsResources: true,
  limitsProcessors: true,
  reachesApi: true,
  hasResultSocket: true,
  secretsAreFiles: false,
};

describe('the record of an execution', () => {
  it('has what the engine reported and what it does not enforce, before and after the end', async () => {
    await build();
    harness.world.means = { ...means, limitsResources: false };
    harness.world.warnings = ['limits of swap are ignored'];
    const actor = await harness.actor();
    const warnings = ['memory and processes are not limited on this container engine', 'limits of swap are ignored'];
    expect(await harness.final(await harness.send(actor, 'one'))).toMatchObject({ status: 'COMPLETE', warnings });
  });

  it('has no warnings on an engine that lacks nothing', async () => {
    await build();
    harness.world.means = means;
    expect(await harness.final(await harness.send(await harness.actor(), 'one'))).not.toHaveProperty('warnings');
  });
});

describe('the log of an execution without a way to the API', () => {
  it('begins with a line about it, once, even after a crash of the daemon', async () => {
    await build();
    harness.world.means = { ...means, reachesApi: false };
    const gate = gated();
    const actor = await harness.actor({ image: 'gated' });
    const execution = await harness.send(actor, 'one');
    await harness.until(() => harness.execution(execution)?.status === 'RUNNING' && harness.world.starts.length === 1);
    await harness.crash();
    await gate.let('one');
    expect(await harness.final(execution)).toMatchObject({ warnings: [NO_API] });
    const log = await harness.logs.read(execution);
    expect(log.startsWith(`actorctl: ${NO_API}\n`)).toBe(true);
    expect(log.split(NO_API)).toHaveLength(2);
  });
});
