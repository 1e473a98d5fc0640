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
    note: 'A run waits for its POST, for the sync of its claim, and at its end for two syncs and the receiver of results. The bare loop writes nothing; the row `bare node:http with a journal and dockerode` has the requests, the syncs, and the limits and rights of a container, but no authentication, no result socket and no control group. The engine, the daemon and the measuring client share two processors. If this run measured profiles, their section shows what an execution costs the daemon with 8 messages waiting.',
  },
  {
    of: /^message → COMPLETE/,
    note: 'The row `bare node:http with a journal and dockerode` has the requests and the syncs of the daemon, and the limits and rights of a container, but no authentication, no result socket and no control group. Of 147 ms of an execution (medians of 60, on a machine where the bare loop took 134 to 139), the engine took 15 ms to create the container, 88 to start it, and 25 until it told the end. In addition came 2 ms for the message, 3 for its environment and the socket of its results, 2 for the claim, 5 from the end to the end of the log, and the others for the client that reads the record. Since then the socket is open before it is needed, which took 1.6 ms.',
  },
  {
    of: /^first message after READY/,
    note: 'The first message of an actor makes its worker; the later ones find it.',
  },
  {
    of: /^longest wait of others/,
    note: 'A search works in slices of 1 ms. The figure is the longest of all answers while a search runs, so one pause of the machine is enough to make it long; the floor has the longest one without a search. If this run measured profiles, their section shows what a search costs for each execution.',
  },
  {
    of: /^(?:actorctl|completion) /,
    note: '`node -e 0` executes about 89 million instructions, a request with node:http 206 to 212. A socket alone adds 20 million, node:http 45 million, commander 18 million, and each loaded file 0.7 million. Of `whoami`, loading the modules of Node for streams, sockets and the terminal takes 4 to 6 ms of processor time, and loading its own compiled code 3 ms; `node -e 0` takes 26 ms. The names of errors that `node:net` makes of every code of libuv take 2 ms of these on a slow machine. A command with requests loads `node:http` too, which takes 2 to 3 ms. If this run measured profiles, the last ones show the parts of two commands. The ratios depend on the machine: on one where `node -e 0` took 35 to 42 ms, two commits measured in turn, which do not differ here, had 2.15 to 2.56 for `actors list`; where it took 30 ms, `actors list` had 1.87.',
  },
  {
    of: /^file: actor/,
    note: 'The start of the process by Node is the largest part (7.3 ms for a line of sh on 2 × AMD EPYC). In addition come three HTTP requests of the measuring client, three syncs of the journal and one of the log, and the messages to the runner and the receiver of results. If this run measured profiles, their section shows what an execution costs the daemon. The row with a journal shows what a bare server needs that keeps the same promise. The ratios depend on the machine, and within an hour that of this bare server was between 1.39 and 1.72 for one line of sh.',
  },
  {
    of: /^memory per execution/,
    note: 'Each record needs its key, its place on disk (32 bytes) and its index entries. An execution has an event, which has the same.',
  },
  {
    of: /^(?:events to|emitted)/,
    note: 'The goal compares with a server without Express and without authentication. Such a server spends its time on node:http, one write for each reader and the journal. The rows `express with a journal` have Express, the same journal and the same streams, but no authentication. If this run measured profiles, their section shows what an event costs the daemon, without readers and with 100, by part, and how much of it is code of the daemon itself.',
  },
  {
    of: /^webhook deliveries/,
    note: 'Each delivery is marked durably before its first byte is sent, so that none is sent twice. The floor has the requests and a journal, but no records: it spends its time on node:http and on the journal. If this run measured profiles, their section shows what a delivery costs the daemon with 64 actors, by part, and how much of it is code of the daemon itself. The store reads the delivery and its event from the pages of its files, and ends one delivery and begins the next in one transaction with their indexes.',
  },
  {
    of: /^messages acknowledged, 1 clients/,
    note: 'One client waits for Express and for a sync in turn. The row `express POST JSON and a journal` shows what both cost without any other work. If this run measured profiles, their section shows the parts.',
  },
  {
    of: /^messages acknowledged, 64 clients/,
    note: 'Express is the whole cost: the row `express POST JSON and a journal` has the same sync, but no records.',
  },
  {
    of: /^decisions, 64 writers/,
    note: 'A decision takes twice the processor time of a line of the bare journal (13 and 6 µs). It computes two checksums, and keeps the record, its place and its index entries.',
  },
  {
    of: /^(?:load|daemon start), /,
    note: 'Every line is parsed, its checksum compared, and its keys are entered in the indexes; the floor only parses. If this run measured profiles, their section shows the parts of a load.',
  },
  {
    of: /^longest wait during/,
    note: 'A purge or a deletion works in slices of 100 records and lets others in between. The figure is the longest of all answers in a round, so one pause of the machine is enough to miss the goal; without any deletion it is 8 ms, and above 17 ms in one round of twenty.',
  },
  {
    of: /^executions, simulated engine/,
    note: 'The throughput of a round varies by a sixth on both sides.',
  },
  {
    of: /^longest stall while/,
    note: 'One turn of the event loop contains 200 transactions of the measurement itself, which take 5 to 6 ms on an idle machine. The section on stalls shows the longest turns of this run. If this run measured profiles, their section shows what such turns consist of.',
  },
  {
    of: /^GET of an actor, p99/,
    note: 'The p99 of a round varies by a factor of four on both sides, so the median of 15 rounds moves with it. Load and servers share two processors.',
  },
  {
    of: /^longest stall of a checkpoint/,
    note: 'A checkpoint takes over the places of 512 records at a time and lets others in between. The figure is the longest turn of the event loop in a round, with the garbage collection of everything else in it. The section on stalls shows the longest turns of this run.',
  },
  {
    of: /^longest write during an archive/,
    note: 'The records of one instant are marked in one turn of the event loop. Reading and compressing them shares two processors with the writes.',
  },
  {
    of: /^dashboard, tasks over/,
    note: 'Chromium, the daemon and the rest of this benchmark share two processors. The row of the processor time shows that no task needs 50 ms: the long ones waited for a processor.',
  },
  {
    of: /^daemon, start/,
    note: 'The daemon loads more code than the bare server, reads its records, and takes the lock of its folder before it answers.',
  },
];

/** Returns the known reason why this row misses its goal; undefined if none is known. */
export const noteOn = ({ what }: Row): string | undefined => notes.find(({ of }) => of.test(what))?.note;
