// The helper process that talks to the keychain: one question on stdin, one answer on stdout. The only file that loads keytar.
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

/** Answers one question and resolves: an empty line when it begins to ask the keychain, then the answer; a keychain that throws is an answer too. */
export const runKeychainHelper = async (
  input: AsyncIterable<Buffer>,
  output: { readonly write: (text: string) => unknown },
): Promise<void> => {
  let reply: KeychainReply;
  try {
    // The question comes from our own parent process, which wrote it by the same type.
    reply = await answer(JSON.parse(await readAll(input)) as KeychainRequest, () => output.write('\n'));
  } catch (error) {
    reply = { ok: false, reason: messageOf(error).trim().split('\n')[0] ?? '' };
  }
  output.write(`${JSON.stringify(reply)}\n`);
};
