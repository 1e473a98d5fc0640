// A stateful actor that adds one to its state at each message, and checks that no message of several clients is lost.
import { expect } from 'vitest';
import { type BuiltDaemon, reaches, send, until } from './daemon.ts';

const CLIENTS = 8;

/** Sends so many messages from eight clients at once, and expects the state to be that number, each version set by another execution. */
export const countsTo = async (messages: number, daemon: BuiltDaemon, actor: string): Promise<void> => {
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
  expect((await daemon.ask('GET', `/actors/v2/${actor}/state`)).result).toMatchObject({
    version: messages,
    state: { n: messages },
  });

  const { result } = await daemon.ask('GET', `/actors/v2/${actor}/state/versions`);
  const versions = Object.values(result) as { version: number; executionId?: string }[];
  expect(versions[0]?.version).toBe(messages);
  // Nobody has set version 0.
  const set = versions.filter(({ version }) => version > 0);
  const setters = set.map(({ executionId }) => executionId ?? '');
  expect(new Set(setters).size).toBe(set.length);
  expect(executions).toEqual(expect.arrayContaining(setters));
};
