// The claim of a project: whose counts as alive, and what a service without If-Match lets happen.
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { claimProject } from '../../../src/commands/project/ledger.ts';
import type { CurrentState } from '../../../src/commands/project/plan/current-state.ts';
import { type Claim, emptyRecord, type ProjectRecord } from '../../../src/commands/project/plan/record.ts';
import { CliFailure } from '../../../src/failure.ts';

const RECORDED = '2030-01-01T00:00:00.000Z';
const elsewhere: Claim = { user: 'ana', host: 'other-machine', pid: 7, processStart: '1', bootId: 'b' };

/** A service that stores one record, ignores If-Match, and returns this time. */
const service = (headers: Readonly<Record<string, string>>) => {
  const written: ProjectRecord[] = [];
  const context = {
    call: (_id: string, { bytes }: { readonly bytes: Uint8Array }) => {
      const { value } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { readonly value: ProjectRecord };
      written.push(value);
      return Promise.resolve({ revision: 2 });
    },
    request: () => Promise.resolve({ status: 200, headers, body: { destroy: () => undefined } }),
  } as never;
  return { context, written };
};

const presentWith = (claim: Claim | undefined): CurrentState => ({
  record: { ...emptyRecord('salt'), actors: {}, ...(claim && { claim }) },
  revision: 1,
  recordedAt: RECORDED,
  actors: new Map(),
  aliases: new Map(),
  configs: new Map(),
  user: 'dev',
  names: new Map(),
  digests: new Map(),
  shared: new Map(),
});

describe('the claim of another machine', () => {
  const dateOf = (at: string) => ({ date: new Date(at).toUTCString() });
  const claimed = ({ context }: ReturnType<typeof service>) =>
    claimProject(context, 'p', presentWith(elsewhere), hostname());

  it.each([
    ['is alive two seconds before the limit, whatever this machine says', dateOf('2030-01-01T00:01:58Z'), false],
    ['is void at the limit', dateOf('2030-01-01T00:02:00Z'), true],
    [
      'has its age by a virtual clock',
      { ...dateOf('2030-01-01T00:05:00Z'), 'x-virtual-clock': '2030-01-01T00:00:30.000Z' },
      false,
    ],
    ['is alive if the service tells no time', {}, false],
  ])('%s', async (_case, headers, isVoid) => {
    const outcome = await claimed(service(headers)).catch((error: unknown) => error);
    if (isVoid) expect(outcome).not.toBeInstanceOf(Error);
    else expect(outcome).toMatchObject({ code: 'STALE_VERSION', message: expect.stringContaining('other-machine') });
  });
});

describe('a claim that another run replaced, on a service that ignores If-Match', () => {
  it('ends the run before it changes anything, and leaves the record to the other one', async () => {
    const { context, written } = service({});
    const ledger = await claimProject(context, 'p', presentWith(undefined), hostname());
    expect(written).toHaveLength(1);
    expect(() => ledger.confirm(presentWith(written[0]?.claim))).not.toThrow();
    expect(() => ledger.confirm(presentWith(elsewhere))).toThrow(CliFailure);
    await ledger.release();
    expect(written).toHaveLength(1);
  });

  it("is recognized as the caller's own whatever the member order", async () => {
    const { context, written } = service({});
    const ledger = await claimProject(context, 'p', presentWith(undefined), hostname());
    const sorted = Object.fromEntries(Object.entries(written[0]?.claim ?? {}).toSorted()) as unknown as Claim;
    expect(Object.keys(sorted)).not.toEqual(Object.keys(written[0]?.claim ?? {}));
    expect(() => ledger.confirm(presentWith(sorted))).not.toThrow();
  });
});
