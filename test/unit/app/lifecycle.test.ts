// The phases of a daemon and what a request to stop does in each.
import { describe, expect, it } from 'vitest';
import { createLifecycle } from '../../../daemon/app/lifecycle.ts';
import { rememberingLogger } from '../../support/store/store-fixtures.ts';

const stop = (haltExecutions: boolean) => ({ deadlineMs: 0, haltExecutions, keepData: false });

const lifecycle = () => {
  let halts = 0;
  const haltAll = async () => {
    halts += 1;
  };
  return { ...createLifecycle({ haltAll, logger: rememberingLogger() }), halts: () => halts };
};

describe('the lifecycle of a daemon', () => {
  it('begins with its start and ends while it waits for executions', () => {
    const daemon = lifecycle();
    expect([daemon.isStarting(), daemon.isStopping()]).toEqual([true, false]);
    daemon.enter('serving');
    expect([daemon.isStarting(), daemon.isStopping()]).toEqual([false, false]);
    daemon.enter('draining');
    expect([daemon.isStarting(), daemon.isStopping()]).toEqual([false, true]);
    daemon.enter('waiting');
    expect([daemon.isStarting(), daemon.isStopping()]).toEqual([false, true]);
  });

  it('skips the service of a daemon that only halts executions', () => {
    const daemon = lifecycle();
    daemon.enter('draining');
    expect(daemon.isStopping()).toBe(true);
  });

  it('does not go back', () => {
    const daemon = lifecycle();
    daemon.enter('draining');
    expect(() => daemon.enter('serving')).toThrow('a daemon that is draining cannot be serving');
    expect(() => daemon.enter('draining')).toThrow('a daemon that is draining cannot be draining');
  });

  it('remembers that a later request to stop halts executions', async () => {
    const daemon = lifecycle();
    daemon.askStop(stop(false));
    daemon.askStop(stop(true));
    daemon.askStop(stop(false));
    expect(daemon.haltsExecutions()).toBe(true);
    expect(await daemon.stopAsked).toEqual(stop(false));
    expect(daemon.halts()).toBe(0);
  });

  it('halts executions at once if the stop already waits for them', () => {
    const daemon = lifecycle();
    daemon.enter('draining');
    daemon.enter('waiting');
    daemon.askStop(stop(false));
    expect(daemon.halts()).toBe(0);
    daemon.askStop(stop(true));
    expect(daemon.halts()).toBe(1);
  });
});
