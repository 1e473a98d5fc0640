// A process with express alone that sends the same responses as the daemon. It prints its port.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { MESSAGE_LINE, openBareJournal } from './bare-journal.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const journal = await openBareJournal();
const tokens = new Map<string, string>();
/** A copy of the daemon's response. */
let answer: unknown;
let secretHash = '';

const app = express();
app.disable('x-powered-by').disable('etag').set('query parser', 'simple');

app.put('/floor', express.json(), (request, response) => {
  const given = request.body as { answer: unknown; token: string; secret: string };
  answer = given.answer;
  tokens.set(digest(given.token), 'bench');
  secretHash = digest(given.secret);
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

app.post('/actors/v2/:actorId/messages', bearer, express.json(), accept);
app.post('/durable/actors/v2/:actorId/messages', bearer, express.json(), sync, accept);

app.post('/token', express.urlencoded({ extended: false }), async (request, response) => {
  const basic = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
  const secret = basic.slice(basic.indexOf(':') + 1);
  if (!timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(secretHash))) return void response.status(401).end();
  const token = randomBytes(32).toString('base64url');
  const hash = digest(token);
  const record = { hash, kind: 'access', tenant: 'DEV', username: 'bench', issuedAt: Date.now() };
  await journal.append(`${JSON.stringify(record)}\n`);
  tokens.set(hash, 'bench');
  response.set('cache-control', 'no-store');
  response.json({ access_token: token, token_type: 'bearer', expires_in: 3_600, scope: 'PRODUCTION' });
});

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

process.once('SIGTERM', () => {
  server.closeAllConnections();
  void journal.close().then(() => process.exit(0));
});
