// A process with node:http alone that sends each posted event to all readers. It encodes each event once and writes the
// events of one tick together.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const readers = new Set<ServerResponse>();
let last = 0;
/** The events of this tick. */
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

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: open\nid: ${last}\ndata: {}\n\n`);
    readers.add(response);
    response.once('close', () => readers.delete(response));
    return;
  }
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  request.on('end', () => {
    const { event_type: type } = JSON.parse(text) as { event_type: string };
    const event = eventOf(type, request.url ?? '');
    publish(`event: ${type}\nid: ${String(event['id'])}\ndata: ${JSON.stringify(event)}\n\n`);
    const answer = JSON.stringify({ message: 'Event emitted.', result: event, status: 'success', version: '1.9.1' });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
