// A process that loads a full data folder, either with the store or by only parsing its lines. It prints milliseconds
// and bytes.
import { createReadStream, existsSync } from 'node:fs';
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

const before = process.memoryUsage().rss;
const begun = performance.now();
const held = side === 'ours' ? await openBenchStore(folder) : await parseLines();
const ms = performance.now() - begun;
const bytes = process.memoryUsage().rss - before;
process.stdout.write(`${JSON.stringify({ ms, bytes, held: typeof held })}\n`);
// The store is not closed, because its checkpoint would change the folder for the next run.
process.exit(0);
