// A process that loads a full data folder, either with the store or by only parsing its lines. It prints milliseconds,
// bytes, and the window of the load in microseconds of the monotonic clock.
import { createReadStream, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openBenchStore } from './records.ts';

const [side = '', folder = ''] = process.argv.slice(2);

const parseLines = async (): Promise<unknown> => {
  const records = new Map<string, unknown>();
  const file = path.join(folder, 'db', 'executions.json');
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const start = line.indexOf('{"id"');
    if (start === -1) continue;
    const record = JSON.parse(line.slice(start, line.lastIndexOf('}') + 1)) as { id: string };
    records.set(record.id, record);
  }
  return records;
};

/** Parses every line of every file of the store into a map. */
const parseAll = async (): Promise<unknown> => {
  const values = new Map<number, unknown>();
  for (const name of await readdir(folder)) {
    const input = createReadStream(path.join(folder, name));
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const [start, end] = [line.search(/[[{]/), Math.max(line.lastIndexOf(']'), line.lastIndexOf('}'))];
      // The brackets that open and close a snapshot are lines of their own.
      if (start !== -1 && end > start) values.set(values.size, JSON.parse(line.slice(start, end + 1)));
    }
  }
  return values;
};

const ways = { ours: () => openBenchStore(folder), floor: parseLines, lines: parseAll };

const before = process.memoryUsage().rss;
const from = Number(process.hrtime.bigint() / 1_000n);
const held = await ways[side as keyof typeof ways]();
const to = Number(process.hrtime.bigint() / 1_000n);
const bytes = process.memoryUsage().rss - before;
process.stdout.write(`${JSON.stringify({ ms: (to - from) / 1_000, bytes, from, to, held: typeof held })}\n`);
// The store is not closed, because its checkpoint would change the folder for the next run.
process.exit(0);
