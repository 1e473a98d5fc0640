// A log stream that is opened with a nonce: it costs one use, and it ends when the nonce ends.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { type NonceFixture, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
beforeEach(async () => {
  fixture = await startNonceFixture();
  ({ service } = fixture);
});
afterEach(() => service.close());

/**
 * Returns all text of a log stream that is opened with a nonce. `between` runs after the first line of the log and
 * before the second.
 */
const readWhile = async (between: (nonceId: string) => Promise<unknown>): Promise<string> => {
  const { secret, id } = await fixture.make({ level: 'READ', maxUses: 1, expiresIn: 60 }, fixture.actorId, 'admin');
  const execution = await service.message('ana', fixture.actorId);
  await service.scheduler.start(execution, 1);
  const log = service.logs.open(execution);
  log.write('stdout', Buffer.from('first\n'));
  const url = `${service.baseUrl}/actors/v2/${fixture.actorId}/executions/${execution}/logs?x-nonce=${secret}`;
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream' } });
  const decoder = new TextDecoder();
  let said = '';
  for await (const chunk of body ?? []) {
    const isFirst = !said.includes('first');
    said += decoder.decode(chunk, { stream: true });
    if (!isFirst || !said.includes('first')) continue;
    await between(id);
    log.write('stdout', Buffer.from('second\n'));
    await log.close();
    await service.scheduler.end(execution, { finishedAt: 2 });
  }
  expect(fixture.uses(id) ?? 1).toBe(1);
  return said;
};

describe('R84 a log stream that is opened with a nonce', () => {
  it('continues to its end although its one use is spent', async () => {
    expect(await readWhile(async () => undefined)).toMatch(/second[\s\S]*event: end/);
  });

  it.each<[string, (nonceId: string) => Promise<unknown>]>([
    ['is deleted', (id) => service.store.transact((tx) => tx.delete('nonces', id))],
    ['expires', async () => service.advance(61_000)],
    ['loses its owner', () => service.store.transact((tx) => tx.delete('users', joinKey('DEV', 'root')))],
    [
      'loses the role that it acts with',
      () =>
        service.store.transact((tx) => {
          const owner = tx.get('users', joinKey('DEV', 'root'));
          if (owner !== undefined) tx.put('users', { ...owner, roles: [] });
        }),
    ],
  ])('ends when the nonce %s', async (_, between) => {
    expect(await readWhile(between)).not.toContain('second');
  });
});
