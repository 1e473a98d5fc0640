// A stateful actor on a real engine: it increments its state with its own token, for any number of senders.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  reaches,
  register,
  scriptImage,
  send,
} from '../../support/daemon/daemon.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';
import { COUNTER, countTo, POST_STATE } from '../../support/workloads/counter.ts';

describeIf(await dockerRequirement(), 'the state of an actor in a container', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  const stateOf = async (actor: string) => (await daemon.ask('GET', `/actors/v2/${actor}/state`)).result;

  // The queue and the state do not depend on the executor, so the many messages go to the cheaper one.
  it.each([
    [40, 'a process', async () => scriptImage(daemon, COUNTER)],
    [16, 'a container', () => images.script(COUNTER)],
  ] as const)(
    'R132 each of %i messages from 8 clients to %s adds one to the previous state',
    async (messages, _, image) => {
      await countTo(daemon, await image(), messages);
    },
  );

  it('is the value from before the execution started, and its own changes are visible to later executions only', async () => {
    const script = `echo "before $_svc_actor_state"; next='"mine"'; ${POST_STATE}; echo "after $_svc_actor_state"`;
    const actor = await register(daemon, { image: await images.script(script), stateless: false });
    await daemon.ask('POST', `/actors/v2/${actor}/state`, { json: [1, 'two'] });
    for (const seen of ['[1,"two"]', '"mine"']) {
      const execution = await send(daemon, actor, { body: 'go' });
      await reaches(daemon, actor, execution);
      expect(await logsOf(daemon, actor, execution)).toBe(`before ${seen}\nafter ${seen}\n`);
    }
  });

  it('is written into a file, which holds the state at the start and wins over a posted one', async () => {
    const script = `cat "$_svc_state_file"; next='"posted"'; ${POST_STATE}; echo '{"n": 2}' > "$_svc_state_file"`;
    const actor = await register(daemon, { image: await images.script(script), stateless: false });
    await daemon.ask('POST', `/actors/v2/${actor}/state`, { json: { n: 1 } });
    const execution = await send(daemon, actor, { body: 'go' });
    await reaches(daemon, actor, execution);
    expect(await logsOf(daemon, actor, execution)).toBe('{"n":1}');
    expect(await stateOf(actor)).toMatchObject({ version: 3, state: { n: 2 } });
  });

  it('is passed in a file if it is large, and cannot be set with the token of an ended execution', async () => {
    const script = 'echo "var ${_svc_actor_state:-none}"; wc -c < "$_svc_actor_state_FILE"; echo "$_svc_access_token"';
    const actor = await register(daemon, { image: await images.script(script), stateless: false });
    const large = 'x'.repeat(200_000);
    await daemon.ask('POST', `/actors/v2/${actor}/state`, { json: large });
    const execution = await send(daemon, actor, { body: 'go' });
    await reaches(daemon, actor, execution);
    const [variable, bytes, token] = (await logsOf(daemon, actor, execution)).split('\n');
    expect([variable, Number(bytes)]).toEqual(['var none', 200_002]);
    const answer = await daemon.ask('POST', `/actors/v2/${actor}/state`, {
      json: 1,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(401);
    expect(await stateOf(actor)).toMatchObject({ version: 1, state: large });
  });
});
