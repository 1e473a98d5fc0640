// A process that sends POSTs over keep-alive connections, one after the other on each lane, and syncs a line before
// each.
import { Agent, request } from 'node:http';
import { openBareJournal } from './bare-journal.ts';

/** The POSTs to send. */
export interface Posts {
  readonly url: string;
  readonly lanes: number;
  /** The number of POSTs on each lane. */
  readonly each: number;
  readonly body: string;
}

/** About the number of bytes that the daemon writes to its journal between two deliveries. */
const LINE = `${'x'.repeat(900)}\n`;

const journal = await openBareJournal();
const agent = new Agent({ keepAlive: true });

const post = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.on('end', resolve);
      response.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });

const lane = async ({ url, each, body }: Posts): Promise<void> => {
  for (let n = 0; n < each; n += 1) {
    await journal.append(LINE);
    await post(url, body);
  }
};

const run = async (posts: Posts): Promise<void> => {
  await Promise.all(Array.from({ length: posts.lanes }, () => lane(posts)));
  process.send?.('done');
};

process.on('message', (posts: Posts) => {
  run(posts).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});
process.once('disconnect', () => {
  void journal.close().then(() => process.exit(0));
});
process.send?.(0);
