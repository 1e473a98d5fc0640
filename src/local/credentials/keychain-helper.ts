// The helper process that calls the keychain: one request on stdin, one response on stdout. Only this file loads
// keytar.

import { messageOf } from '../../failure.ts';
import type { KeychainReply, KeychainRequest } from './keychain.ts';

const readAll = async (input: AsyncIterable<Buffer>): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
};

const answer = async (
  { operation, service, account, secret }: KeychainRequest,
  started: () => void,
): Promise<KeychainReply> => {
  const { default: keytar } = await import('keytar');
  started();
  if (operation === 'get') return { ok: true, secret: await keytar.getPassword(service, account) };
  if (operation === 'delete') await keytar.deletePassword(service, account);
  else await keytar.setPassword(service, account, secret ?? '');
  return { ok: true, secret: null };
};

/** Writes an empty line before it calls the keychain, then the response. The response also reports errors. */
export const runKeychainHelper = async (
  input: AsyncIterable<Buffer>,
  output: { readonly write: (text: string) => unknown },
): Promise<void> => {
  let reply: KeychainReply;
  try {
    // The parent process is this program and wrote the request with the same type.
    reply = await answer(JSON.parse(await readAll(input)) as KeychainRequest, () => output.write('\n'));
  } catch (error) {
    reply = { ok: false, reason: messageOf(error).trim().split('\n')[0] ?? '' };
  }
  output.write(`${JSON.stringify(reply)}\n`);
};
