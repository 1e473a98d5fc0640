// Group commit: which transactions share a write, and what happens when the disk refuses. Over 250 lines, because all cases
// share one played journal.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCommitter, type Waiting } from '../../../daemon/store/journal/group-commit.ts';
import { systemError } from '../../support/store/file-handles.ts';
import { rememberingLogger } from '../../support/store/store-fixtures.ts';

const MIB = 1024 * 1024;
const make = () => {
  const calls: string[] = [];
  let size = 100;
  let fault: Error | undefined;
  let repairFault: Error | undefined;
  let lost = false;
  const journal = {
    number: 1,
    size: () => size,
    append: async (lines: readonly Waiting[]) => {
      const bytes = Buffer.from(lines.map(({ line }) => line).join(''));
      calls.push(`append ${bytes.length > 100 ? bytes.length : bytes.toString()}`);
      if (fault !== undefined) throw fault;
      size += bytes.length;
    },
    repair: async () => {
      calls.push('repair');
      if (repairFault !== undefined) throw repairFault;
    },
    probe: async (bytes: number) => {
      calls.push(`probe ${bytes}`);
      if (fault !== undefined) throw fault;
    },
    close: async () => undefined,
  };
  const logger = rememberingLogger();
  const committer = createCommitter({
    journal: () => journal,
    beforeWrite: () => {
      if (lost) throw new Error('the lock is lost');
    },
    onRefused: () => void calls.push('onRefused'),
    onDurable: () => void calls.push('onDurable'),
    logger,
    retryMs: 500,
  });
  const submit = (line: string) =>
    committer.submit({
      line,
      bytes: Buffer.byteLength(line),
      durable: (offset) => void calls.push(`durable ${line.slice(0, 5)} ${offset}`),
      refused: ({ message }) => void calls.push(`refused ${line.slice(0, 5)} ${message}`),
    });
  const afterThose = (name: string) =>
    committer.afterThose(
      () => void calls.push(`after ${name}`),
      () => void calls.push(`not after ${name}`),
    );
  return {
    calls,
    committer,
    logger,
    submit,
    afterThose,
    refuse: (error?: Error, ofRepair?: Error) => {
      fault = error;
      repairFault = ofRepair;
    },
    lose: () => {
      lost = true;
    },
    logged: () => logger.lines.map(({ level, message }) => `${level} ${message}`),
  };
};

const FULL = 'The disk of the daemon is full. Nothing was changed. Check the disk and try again.';
/** Lets everything run that does not wait for a timer. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('transactions', () => {
  it('of a process that has lost the data neither write nor cut the journal', async () => {
    const { calls, submit, committer, lose } = make();
    lose();
    submit('one');
    await settle();
    await vi.advanceTimersByTimeAsync(500);
    await settle();
    await expect(committer.close()).rejects.toThrow('the lock is lost');
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['onRefused', 'refused']);
  });

  it('that wait at the same time share a write, and get the offsets of their lines', async () => {
    const { calls, submit, committer } = make();
    submit('one');
    submit('three');
    expect(calls).toEqual([]);
    await settle();
    submit('x');
    await committer.close();
    expect(calls).toEqual([
      'append onethree',
      'durable one 100',
      'durable three 103',
      'onDurable',
      'append x',
      'durable x 108',
      'onDurable',
    ]);
  });

  it('share a write of at most 4 MiB, but a larger one is written alone', async () => {
    const { calls, submit, committer } = make();
    for (const mib of [2, 2, 1, 5, 3]) submit('é'.repeat((mib * MIB) / 2));
    submit('y'.repeat(MIB + 1));
    await committer.close();
    expect(calls.filter((call) => call.startsWith('append'))).toEqual(
      [4 * MIB, MIB, 5 * MIB, 3 * MIB, MIB + 1].map((length) => `append ${length}`),
    );
  });

  it('without a change wait for the earlier ones only, and write nothing', async () => {
    const { calls, submit, afterThose, committer } = make();
    afterThose('none');
    expect(calls).toEqual(['after none']);
    submit('a');
    afterThose('a');
    submit('b');
    expect(calls).toHaveLength(1);
    await settle();
    expect(calls.slice(1)).toEqual(['append ab', 'durable a 100', 'after a', 'durable b 101', 'onDurable']);
    const chore = committer.between(async () => 1);
    afterThose('chore');
    await chore;
    await committer.close();
    expect(calls.slice(6)).toEqual(['after chore', 'onDurable']);
  });
});

describe('a write that the disk refuses', () => {
  it('rejects all waiting transactions after reverting their changes, and is repaired', async () => {
    const { calls, submit, afterThose, committer, refuse, logged, logger } = make();
    refuse(systemError('ENOSPC'));
    submit('x'.repeat(5 * MIB));
    submit('b');
    afterThose('b');
    expect(committer.refusal()).toBeUndefined();
    await settle();
    expect(calls).toEqual([
      `append ${5 * MIB}`,
      'onRefused',
      'repair',
      `refused xxxxx ${FULL}`,
      `refused b ${FULL}`,
      'not after b',
    ]);
    expect(committer.refusal()).toMatchObject({ code: 'STORE_UNAVAILABLE', message: FULL });
    expect(logged()).toEqual(['error cannot write to the store']);
    expect(logger.lines[0]?.fields).toEqual({ err: systemError('ENOSPC'), refused: 3 });
  });

  it('is tried again until the disk accepts a probe', async () => {
    const { calls, submit, committer, refuse, logged, logger } = make();
    refuse(systemError('ENOSPC'));
    submit('a');
    await settle();
    await vi.advanceTimersByTimeAsync(499);
    calls.length = 0;
    await settle();
    await vi.advanceTimersByTimeAsync(1);
    await settle();
    expect([calls, committer.refusal() === undefined]).toEqual([['probe 65536'], false]);
    // The failed probe may have left bytes.
    await vi.advanceTimersByTimeAsync(500);
    await settle();
    expect(calls.splice(0)).toEqual(['probe 65536', 'repair', 'probe 65536']);
    refuse();
    await vi.advanceTimersByTimeAsync(500);
    await settle();
    expect(calls.splice(0)).toEqual(['repair', 'probe 65536']);
    expect([committer.refusal(), vi.getTimerCount()]).toEqual([undefined, 0]);
    expect(logged()).toEqual([
      'error cannot write to the store',
      'debug the store still cannot be written',
      'debug the store still cannot be written',
      'info the store is writable again',
    ]);
    expect(logger.lines[1]?.fields).toEqual({ errno: 'ENOSPC' });
    submit('b');
    await committer.close();
    expect(calls).toEqual(['append b', 'durable b 100', 'onDurable']);
  });

  it('that cannot be repaired is repaired before the next probe, or at the close', async () => {
    const { calls, submit, committer, refuse, logged, logger } = make();
    refuse(systemError('EIO'), systemError('EROFS'));
    submit('a');
    await settle();
    expect(logged()).toEqual([
      'error cannot write to the store',
      'error cannot remove rejected transactions from the journal yet',
    ]);
    expect(logger.lines[1]?.fields).toEqual({ err: systemError('EROFS') });
    calls.length = 0;
    await vi.advanceTimersByTimeAsync(500);
    await settle();
    expect(calls.splice(0)).toEqual(['repair']);
    refuse();
    await committer.close();
    expect([calls, vi.getTimerCount()]).toEqual([['repair'], 0]);
  });

  it('starts no attempt after the close', async () => {
    const { calls, submit, committer, refuse } = make();
    refuse(systemError('EIO'));
    submit('a');
    await committer.close();
    expect([calls.filter((call) => call === 'repair').length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('is waited for by the close while it is tried again', async () => {
    const { calls, submit, committer, refuse } = make();
    refuse(systemError('EIO'));
    submit('a');
    await settle();
    refuse();
    calls.length = 0;
    vi.advanceTimersByTime(500);
    await committer.close();
    expect([calls, committer.refusal()]).toEqual([['probe 65536'], undefined]);
  });
});

describe('work between two writes', () => {
  it('runs alone, before waiting writes', async () => {
    const { calls, submit, committer } = make();
    const error = new Error('x');
    await expect(committer.between(() => Promise.reject(error))).rejects.toBe(error);
    submit('a');
    let finish = (): void => undefined;
    const work = committer.between(async () => {
      calls.push('begin');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      calls.push('end');
      return 7;
    });
    submit('b');
    await settle();
    expect(calls).toEqual(['begin']);
    finish();
    expect(await work).toBe(7);
    await committer.close();
    expect(calls.slice(0, 3)).toEqual(['begin', 'end', 'append ab']);
  });

  it('is refused while the disk refuses writes', async () => {
    const { submit, committer, refuse } = make();
    refuse(systemError('ENOSPC'));
    submit('a');
    await settle();
    const work = vi.fn(async () => undefined);
    await expect(committer.between(work)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(work).not.toHaveBeenCalled();
  });
});
