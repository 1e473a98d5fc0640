// Limits of browser sessions. @see docs/conformance/security.md R95
import type { SessionRecord } from '../records/account-records.ts';

const MINUTE = 60_000;
const IDLE_MS = 60 * MINUTE;
const ABSOLUTE_MS = 12 * 60 * MINUTE;

/** The instant at which the session reaches its idle or its absolute limit, unless it is used before. */
export const sessionEnd = ({ startedAt, seenAt }: Pick<SessionRecord, 'startedAt' | 'seenAt'>): number =>
  Math.min(seenAt + IDLE_MS, startedAt + ABSOLUTE_MS);

export const isOver = (session: SessionRecord, now: number): boolean => now >= sessionEnd(session);
