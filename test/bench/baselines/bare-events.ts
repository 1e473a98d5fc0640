// A process with Express that keeps the promise of the daemon for events: each posted event is synced in a journal,
// with one sync for all waiting posts, before it is acknowledged and sent to all readers. It encodes each event once
// and writes the events of one sync together.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { openBareJournal } from './bare-journal.ts';

const journal = await openBareJournal();
const readers = new Set<ServerResponse>();
let last = 0;
/** The events that are durable and not sent yet. */
let frames = '';

const publish = (frame: string): void => {
  if (frames === '') {
    setImmediate(() => {
      for (const reader of readers) reader.write(frames);
      frames = '';
    });
  }
  frames += frame;
};

/** Has the same length as the event of the daemon. */
const eventOf = (type: string, path: string): Readonly<Record<string, unknown>> => {
  const actor = path.split('/')[3] ?? '';
  const now = Date.now();
  last += 1;
  return {
    id: String(last),
    actor_id: actor,
    tenant_id: 'DEV',
    actor_dbid: `DEV_${actor}`,
    event_type: type,
    event_time_utc: now / 1_000,
    event_time_display: new Date(now).toISOString(),
    _svc_link: '',
    _svc_username: 'Actor Service Event',
    exit_code: 0,
    synthetic: true,
    deliveries: { link: null, webhook: null },
  };
};

const take = async (path: string, body: unknown, response: ServerResponse): Promise<void> => {
  const { event_type: type } = body as { event_type: string };
  const event = eventOf(type, path);
  const json = JSON.stringify(event);
  await journal.append(`${json}\n`);
  publish(`event: ${type}\nid: ${String(event['id'])}\ndata: ${json}\n\n`);
  const answer = `{"message":"Event emitted.","result":${json},"status":"success","version":"1.9.1"}`;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
  response.end(answer);
};

const open = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: open\nid: ${last}\ndata: {}\n\n`);
  readers.add(response);
  response.once('close', () => readers.delete(response));
};

const app = express();
app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
app.get('/actors/v2/events', (_request, response) => open(response));
app.post('/actors/v2/:actorId/events', express.json(), ({ url, body }, response) => take(url, body, response));

const server = createServer(app);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => {
  server.closeAllConnections();
  void journal.close().then(() => process.exit(0));
});
