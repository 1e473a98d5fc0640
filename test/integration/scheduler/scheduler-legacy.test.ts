// What an execution of an actor of the legacy dialect gets, beside that of a modern one.
import { expect, it } from 'vitest';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { RunSpec } from '../../../daemon/ports/executor.ts';
import { build, closeHarnesses, harness } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

interface Seen {
  readonly environment: Readonly<Record<string, string>>;
  readonly dialect: RunSpec['dialect'];
  readonly files: ReadonlyMap<string, Buffer>;
}

const run = async (
  fields: Partial<ActorRecord>,
  text: string | null,
  message: Parameters<typeof harness.send>[2] = {},
): Promise<Seen> => {
  let seen: Seen | undefined;
  harness.world.images.set('spy', async ({ environment, spec, files }) => {
    seen = { environment, dialect: spec.dialect, files };
    return 0;
  });
  const actor = await harness.actor({ image: 'spy', ...fields });
  const sent = { contentType: 'application/json' as const, ...message };
  await harness.final(await harness.send(actor, text ?? '', { ...sent, text }));
  return seen ?? expect.fail('the image was not run');
};

it('an execution of a legacy actor gets JSON in the format that it expects', async () => {
  await build();
  const json = '{"ok": true, "big": 12345678901234567890}';
  const modern = await run({}, json);
  expect([modern.environment['MSG'], modern.dialect]).toEqual([json, undefined]);
  expect(Object.keys(modern.environment).filter((name) => name.startsWith('_abaco'))).toEqual([]);
  const legacy = await run({ dialect: 'legacy' }, json);
  expect(legacy.environment).toMatchObject({
    MSG: "{'ok': True, 'big': 12345678901234567890}",
    _abaco_username: 'ana',
    '_abaco_Content-Type': 'application/json',
  });
  expect(legacy.dialect).toBe('legacy');
});

it('a message in a file is converted, and stays in a file if it is still too large', async () => {
  await build();
  const put = (text: string) => harness.bodies.put(Buffer.from(text));
  const small = JSON.stringify([true, 'x'.repeat(100_000)]);
  const inFile = async (text: string) =>
    run({ dialect: 'legacy' }, null, { bodyFile: await put(text), size: text.length });
  expect((await inFile(small)).environment['MSG']).toBe(`[True, '${'x'.repeat(100_000)}']`);
  const large = await inFile(JSON.stringify([true, 'x'.repeat(200_000)]));
  expect(large.environment).not.toHaveProperty('MSG');
  expect(large.files.get(large.environment['MSG_FILE'] ?? '')?.toString()).toBe(`[True, '${'x'.repeat(200_000)}']`);
});
