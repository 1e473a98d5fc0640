// A process that writes continuously is killed repeatedly: acknowledged writes survive, and rejected ones never appear.
import { describe, expect, it } from 'vitest';
import { openStore } from '../../daemon/store/store.ts';
import { runLines } from '../support/daemon/child-lines.ts';
import { handClock, rememberingLogger, temporaryFolder, until } from '../support/store/store-fixtures.ts';

const KILLS = 20;

describe('kill -9 of a writing process', () => {
  it('R145 loses no acknowledged write, keeps no rejected one, and never reuses a sequence number', async () => {
    const folder = temporaryFolder();
    const acknowledged = new Map<string, number>();
    const rejected: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = runLines('store/writer-process.ts', [folder, `r${kill}`]);
      // Random times: some during the first writes, some after several checkpoints.
      const enough = 1 + kill * kill * 5;
      await until(() => child.lines().length > enough || child.process.exitCode !== null);
      child.process.kill('SIGKILL');
      await child.closed;
      expect(child.errors()).toBe('');
      for (const line of child.lines()) {
        const [word, id = '', number] = line.split(' ');
        if (word === 'ack') acknowledged.set(id, Number(number));
        if (word === 'rejected') rejected.push(id);
      }

      const store = await openStore({ folder, clock: handClock(), logger: rememberingLogger() });
      const lost = [...acknowledged].filter(([id, number]) => store.get('executions', id)?.sequence !== number);
      expect(lost).toEqual([]);
      expect(rejected.filter((id) => store.get('executions', id) !== undefined)).toEqual([]);
      const sequences = [...store.all('executions')].map(({ sequence }) => sequence);
      expect(new Set(sequences).size).toBe(sequences.length);
      await store.close();
    }
    expect(acknowledged.size).toBeGreaterThan(KILLS);
    expect(rejected.length).toBeGreaterThan(0);
  });
});
