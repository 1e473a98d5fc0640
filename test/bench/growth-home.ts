// A home with many stored executions: real runs through the API, and from some number on copies of their records.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EventRecord } from '../../daemon/domain/records/event-records.ts';
import { nextSerial } from '../../daemon/domain/records/next-serial.ts';
import type { Store, Transaction } from '../../daemon/ports/store.ts';
import { openStore } from '../../daemon/store/store.ts';
import { type BenchDaemon, type Credentials, startDaemon, temporaryHome } from './daemon.ts';

/** Nothing expires while a benchmark runs. */
export const keepsEverything: NodeJS.ProcessEnv = {
  ACTORCTL_EXECUTIONS_KEPT: '10000000',
  ACTORCTL_EXECUTIONS_KEPT_PER_ACTOR: '10000000',
  ACTORCTL_EVENTS_KEPT: '10000000',
};

export interface GrowthHome {
  readonly size: number;
  /** Executions that really ran. The others are copies. */
  readonly real: number;
  readonly folder: string;
  readonly db: string;
  readonly credentials: Credentials;
  /** The actor with the executions. */
  readonly actorId: string;
  /** An actor that accepts messages and never runs. */
  readonly idleId: string;
  remove(): void;
}

const BATCH = 500;

/** Sends messages to a `file:` actor, and waits until all have run. */
const runReal = async (daemon: BenchDaemon, folder: string, count: number): Promise<string> => {
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'echo got it'] }));
  const { id = '' } = await daemon.call('POST', '/actors/v2', { image: `file://${folder}` });
  await daemon.until(id, 'READY');
  for (let sent = 0; sent < count; sent += 1) {
    await daemon.call('POST', `/actors/v2/${id}/messages`, { message: `hello ${sent}` });
  }
  for (let ended = 0; ended < count; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const found = await daemon.call<{ _metadata: { totalCount: number } }>(
      'GET',
      `/actors/v2/${id}/executions?status=COMPLETE&limit=1`,
    );
    ended = found._metadata.totalCount;
  }
  return id;
};

/** Copies real executions and their events under new ids and numbers, as often as needed. */
const copyRecords = async (store: Store, actorId: string, size: number): Promise<void> => {
  const executions = store.by('executions', 'actor', actorId);
  const events = new Map<string, EventRecord>();
  for (const event of store.by('events', 'actor', actorId)) {
    if (event.executionId !== undefined) events.set(event.executionId, event);
  }
  const copy = (tx: Transaction, number: number): void => {
    const template = executions[number % executions.length];
    const event = template && events.get(template.id);
    if (template === undefined || event === undefined) throw new Error('an execution that ran has no event');
    const id = `C${String(number).padStart(12, '0')}`;
    tx.put('executions', { ...template, id, sequence: tx.nextSequence() });
    const serial = nextSerial(tx, template.tenant, 'events');
    tx.put('events', { ...event, number: tx.nextSequence(), serial, executionId: id });
  };
  for (let first = executions.length; first < size; first += BATCH) {
    await store.transact((tx) => {
      for (let number = first; number < Math.min(size, first + BATCH); number += 1) copy(tx, number);
    });
  }
};

/** @param most number of executions that really run; the rest is copied */
export const growthHome = async (size: number, most: number): Promise<GrowthHome> => {
  const home = temporaryHome();
  try {
    const real = Math.min(size, most);
    const daemon = await startDaemon(keepsEverything, { home });
    const actorId = await runReal(daemon, path.join(home.folder, 'actor'), real);
    const { id: idleId = '' } = await daemon.call('POST', '/actors/v2', { image: 'nowhere.invalid/nothing:1' });
    await daemon.leave();
    const data = path.join(home.folder, 'data', 'default');
    const silent = () => undefined;
    const logger = { debug: silent, info: silent, warn: silent, error: silent };
    const store = await openStore({ folder: data, clock: { now: Date.now }, logger });
    await copyRecords(store, actorId, size);
    await store.close();
    const { token, client } = daemon;
    const credentials = { token, client };
    const { folder, remove } = home;
    return { size, real, folder, db: path.join(data, 'db'), credentials, actorId, idleId, remove };
  } catch (error) {
    home.remove();
    throw error;
  }
};
