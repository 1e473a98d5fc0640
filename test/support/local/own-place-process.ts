// Listens at the path in its argument, connects to it, and closes it, in a process of its own: it may change its folder.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { connectOwn, listenOwn, readOwnJson } from '../../../src/local/own-place.ts';

const [socket = '', json = ''] = process.argv.slice(2);
const before = process.cwd();
const server = createServer((connection) => connection.end('hello'));
const close = await listenOwn(server, socket);
let heard = '';
for await (const piece of connectOwn(socket)) heard += String(piece);
const answer = { heard, json: readOwnJson(json), made: existsSync(socket), hasProc: existsSync('/proc/self/fd') };
await new Promise<void>((resolve) => {
  close(resolve);
});
const left = existsSync(socket);
process.stdout.write(`${JSON.stringify({ ...answer, left, moved: process.cwd() !== before })}\n`);
