// A process with Express alone that sends the same responses as the daemon, and syncs each message in a journal. It prints
// its port.
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { MESSAGE_LINE, openBareJournal } from './bare-journal.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const journal = await openBareJournal();
const tokens = new Map<string, string>();
/** A copy of the daemon's response. */
let answer: unknown;

const app = express();
app.disable('x-powered-by').disable('etag').set('query parser', 'simple');

app.put('/baseline', express.json(), (request, response) => {
  const given = request.body as { answer: unknown; token: string };
  answer = given.answer;
  tokens.set(digest(given.token), 'bench');
  response.json({});
});

const bearer: express.RequestHandler = (request, response, next) => {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
  if (tokens.has(digest(token))) next();
  else response.status(401).end();
};

app.get('/actors/v2/:actorId', bearer, (_request, response) => {
  response.json(answer);
});

let sent = 0;
const accept: express.RequestHandler = (request, response) => {
  sent += 1;
  const { message } = request.body as { message: unknown };
  const result = { executionId: `E${sent}`, msg: message, _links: {} };
  response.json({ message: 'The request was successful', result, status: 'success', version: '1.9.1' });
};
const sync: express.RequestHandler = async (_request, _response, next) => {
  await journal.append(MESSAGE_LINE);
  next();
};

app.post('/actors/v2/:actorId/messages', bearer, express.json(), sync, accept);

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

process.once('SIGTERM', () => {
  server.closeAllConnections();
  void journal.close().then(() => process.exit(0));
});
