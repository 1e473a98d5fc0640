// Stores the record of a project at the service, so that only one apply changes a project at a time.
import { isDeepStrictEqual } from 'node:util';
import type { CommandContext } from '../../context.ts';
import { VIRTUAL_CLOCK_HEADER } from '../../contract/virtual-clock.ts';
import { CliFailure } from '../../failure.ts';
import { identityOf, stillRuns } from '../../local/process-identity.ts';
import { bodyOf } from '../configs/config-value.ts';
import type { CurrentState } from './plan/current-state.ts';
import { type Claim, isEmptyRecord, type ProjectRecord, recordName } from './plan/record.ts';

/**
 * Age, in milliseconds, after which the claim of another machine counts as abandoned. A single request takes at
 * most 30 s.
 */
const ABANDONED_MS = 120_000;
/** Longest time to write the record after an interrupt, in milliseconds. */
const RELEASE_MS = 10_000;

type Asker = Pick<CommandContext, 'call' | 'request'>;

export interface Ledger {
  readonly record: () => ProjectRecord;
  /**
   * Checks that the record still has the claim of this run. A service without `If-Match` lets another run replace the
   * claim.
   * @throws CliFailure STALE_VERSION
   */
  readonly confirm: (seen: CurrentState) => void;
  /** Writes the record if it changed. @throws CliFailure STALE_VERSION if another apply wrote it meanwhile */
  readonly save: (record: ProjectRecord) => Promise<void>;
  /** Ends the claim and deletes an empty record. Works even after an interrupt. */
  readonly release: () => Promise<void>;
}

const otherRun = (project: string): CliFailure =>
  new CliFailure('STALE_VERSION', `another apply is changing project "${project}" at the same time`, {
    hint: 'run the command again when the other one has ended',
  });

/** Milliseconds since the epoch, by the clock of the service, which also dates its records. */
const serviceTime = async ({ request }: Asker): Promise<number> => {
  const { headers, body } = await request({ method: 'GET', path: '/profiles/v2/me' });
  body.destroy();
  const said = headers[VIRTUAL_CLOCK_HEADER] ?? headers.date;
  return Date.parse(String(said));
};

/** @throws CliFailure STALE_VERSION if the claim belongs to a run that is still active */
const refuseClaimed = async (
  context: Asker,
  project: string,
  { record, recordedAt = '' }: CurrentState,
  host: string,
): Promise<void> => {
  const { claim } = record;
  if (claim === undefined) return;
  // The clock of this machine may differ from that of the service. Without both times the claim counts as alive.
  const goesOn =
    claim.host === host ? stillRuns(claim) : !((await serviceTime(context)) - Date.parse(recordedAt) >= ABANDONED_MS);
  if (!goesOn) return;
  throw new CliFailure(
    'STALE_VERSION',
    `an apply of "${claim.user}" (process ${claim.pid} on ${claim.host}) is changing project "${project}" now`,
    { hint: 'wait until it has ended, then run the command again' },
  );
};

/**
 * Claims a project: until the release no other apply changes it.
 * @param present the record that the caller read; the claim fails if the record has changed since then
 * @throws CliFailure STALE_VERSION, ALREADY_EXISTS if the project belongs to another user
 */
export const claimProject = async (
  context: Asker,
  project: string,
  present: CurrentState,
  host: string,
): Promise<Ledger> => {
  const { call } = context;
  const name = recordName(project);
  let { record, revision } = present;
  const write = async (next: ProjectRecord, signal?: AbortSignal): Promise<void> => {
    const content = bodyOf({ name, valueText: JSON.stringify(next), actors: '', secret: false });
    const how = { bytes: content.bytes, ...(signal && { signal, timeoutMs: RELEASE_MS }) };
    try {
      const written =
        revision === undefined
          ? await call('configs.create', { ...how, headers: content.headers })
          : await call('configs.update', {
              ...how,
              params: { configName: name },
              headers: { ...content.headers, 'if-match': `"${revision}"` },
            });
      revision = written.revision;
      record = next;
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      if (error.code === 'STALE_VERSION') throw otherRun(project);
      if (error.code !== 'ALREADY_EXISTS') throw error;
      throw new CliFailure(
        'ALREADY_EXISTS',
        `project "${project}" belongs to another user, or another apply is creating it now`,
        {
          hint: `change "project" in the file, or ask its owner for UPDATE on config "${name}"`,
          cause: error,
        },
      );
    }
  };
  await refuseClaimed(context, project, present, host);
  const claim: Claim = { user: present.user, host, ...identityOf(process.pid) };
  await write({ ...record, claim });
  let isOwn = true;
  return {
    record: () => record,
    confirm: (seen) => {
      // Some services sort the members of a value.
      isOwn = isDeepStrictEqual(seen.record.claim, record.claim);
      if (!isOwn) throw otherRun(project);
    },
    save: async (next) => {
      if (JSON.stringify(next) !== JSON.stringify(record)) await write(next);
    },
    release: async () => {
      // If another run has replaced the claim, the record belongs to that run and stays unchanged.
      if (!isOwn) return;
      const signal = AbortSignal.timeout(RELEASE_MS);
      const { claim: _ended, ...rest } = record;
      if (isEmptyRecord(rest))
        await call('configs.delete', { params: { configName: name }, signal, timeoutMs: RELEASE_MS });
      else await write(rest, signal);
    },
  };
};
