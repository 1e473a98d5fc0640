// A stateful actor that counts its messages: many clients send, and no count is lost.
import { expect } from 'vitest';
import { type BuiltDaemon, reaches, register, send, until } from '../daemon/daemon.ts';
import type { Ran } from './chain.ts';

const CLIENTS = 8;

/** Posts the shell variable `$next` as the new state of the actor. */
export const POST_STATE = `busybox wget -q -O - --header "Authorization: Bearer $_svc_access_token" \\
  --header 'Content-Type: application/json' --post-data "$next" \\
  "$_svc_api_server/actors/v2/$_svc_actor_id/state" > /dev/null`;

/** The script of the actor: adds one to its state. */
export const COUNTER = `n=$(echo "$_svc_actor_state" | tr -cd 0-9)
next="{\\"n\\": $((\${n:-0} + 1))}"
${POST_STATE} && echo "$_svc_actor_state -> $next"`;

/**
 * Sends so many messages from several clients at once to a new actor, and checks that each added one to the state before
 * it. Returns the executions.
 */
export const countTo = async (daemon: BuiltDaemon, image: string, messages: number): Promise<readonly Ran[]> => {
  const actor = await register(daemon, { image, stateless: false });
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const ids: string[] = [];
    for (let n = client; n < messages; n += CLIENTS) ids.push(await send(daemon, actor, { body: `${n}` }));
    return ids;
  });
  const executions = (await Promise.all(clients)).flat();
  const path = `/actors/v2/${actor}/messages`;
  await until(async () => (await daemon.ask('GET', path)).result['messages'] === 0, 200);
  for (const id of executions)
    expect(await reaches(daemon, actor, id)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
  const state = (await daemon.ask('GET', `/actors/v2/${actor}/state`)).result;
  expect(state).toMatchObject({ version: messages, state: { n: messages } });

  const { result } = await daemon.ask('GET', `/actors/v2/${actor}/state/versions`);
  const kept = Object.values(result) as { version: number; executionId?: string }[];
  // Version 0 is the state before the first message, which no execution set.
  const versions = kept.filter(({ version }) => version > 0);
  expect(versions[0]?.version).toBe(messages);
  const setters = versions.map(({ executionId }) => executionId ?? '');
  expect(new Set(setters).size).toBe(versions.length);
  expect(executions).toEqual(expect.arrayContaining(setters));
  return executions.map((execution) => ({ actor, execution }));
};
