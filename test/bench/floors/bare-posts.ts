// A process of its own: POSTs over connections that stay open, on each lane one after the other, and nothing else; or with a journal.
import { Agent, request } from 'node:http';
import { openBareJournal } from './bare-journal.ts';

/** What is to be posted. */
export interface Posts {
  readonly url: string;
  readonly lanes: number;
  /** On each lane. */
  readonly each: number;
  readonly body: string;
  /** Puts a line on the disk before each, as the daemon does when one has ended and the next begins. */
  readonly durable: boolean;
}

/** About what the end of one delivery and the beginning of the next put into the journal. */
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

const lane = async ({ url, each, body, durable }: Posts): Promise<void> => {
  for (let n = 0; n < each; n += 1) {
    if (durable) await journal.append(LINE);
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
