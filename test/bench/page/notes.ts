// Why a goal is not reached: sentences for rows of the table, shown only below a run that misses the goal.
import type { Row } from '../figures.ts';

interface Note {
  /** The rows that the note explains. */
  readonly of: RegExp;
  readonly note: string;
}

const notes: readonly Note[] = [
  {
    of: /^executions, \d+ waiting/,
    note: 'Each execution is claimed and ended by a durable write, and its log is synced before the end. The bare loop writes nothing.',
  },
  {
    of: /^message → COMPLETE/,
    note: 'Two durable writes and the synced log come before the final status; the bare loop has neither.',
  },
  {
    of: /^first message after READY/,
    note: 'The first message of an actor makes its worker; the later ones find it.',
  },
  {
    of: /^longest wait of others/,
    note: 'A search works in slices of 3 ms. What is longer is the collection of garbage, and the answer to the other request itself.',
  },
  {
    of: /^actorctl /,
    note: 'The start of node itself is the floor. What is added is the compiled code of the command, its settings, and the request to the daemon.',
  },
  {
    of: /^file: actor/,
    note: 'A spawn by the runner costs the same as a bare one. The rest is the request to the runner, the claim, and the syncs of the log and of the final record.',
  },
  {
    of: /^memory per execution/,
    note: 'The record, its event and their index entries are JavaScript objects.',
  },
  {
    of: /^(?:events to|emitted)/,
    note: 'The events of the daemon come from HTTP requests, and are authorized and durable before a reader gets them.',
  },
  {
    of: /^webhook deliveries/,
    note: 'Each delivery is marked durably before its first byte is sent, so that none is sent twice.',
  },
  {
    of: /^messages acknowledged, 1 clients/,
    note: 'One request after another pays for HTTP, the token and the checks before its own sync; the journal alone pays for the sync only.',
  },
  {
    of: /^daemon, start/,
    note: 'The daemon loads more code than the bare server, reads its records, and takes the lock of its folder before it answers.',
  },
];

/** The reason why this row misses its goal, as far as it is known. */
export const noteOn = ({ what }: Row): string | undefined => notes.find(({ of }) => of.test(what))?.note;
