// Stores the content of a message: short text in the record, anything else in a file.
import type { Message } from '../../domain/executions/message.ts';
import { KEPT_MESSAGE_LIMIT } from '../../domain/executions/put-message.ts';
import type { MessageRecord } from '../../domain/records/actor-records.ts';
import type { Bodies } from '../../ports/bodies.ts';

/** Reads at most `limit` bytes from the start of a body. */
const readBeginning = async (bodies: Bodies, name: string, limit: number): Promise<Buffer> => {
  const { pieces, close } = await bodies.open(name);
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of pieces) {
      read.push(piece);
      size += piece.length;
      if (size >= limit) break;
    }
  } finally {
    close();
  }
  return Buffer.concat(read).subarray(0, limit);
};

interface StoredContent extends Pick<MessageRecord, 'text' | 'bodyFile' | 'size'> {
  /** The first bytes of content in a file: text, or base64 if it is binary. Undefined for content in the record. */
  readonly beginning?: string;
}

const beginningOf = (bytes: Uint8Array, contentType: Message['contentType']): string =>
  contentType === 'application/octet-stream'
    ? Buffer.from(bytes).toString('base64')
    : // Leaves out the part of a character at the end.
      new TextDecoder().decode(bytes, { stream: true });

/** Returns short text for the record. Binary content, and content that was stored already, is in a file. */
export const storeBody = async (
  { bodies }: { readonly bodies: Bodies },
  { content, contentType }: Message,
): Promise<StoredContent> => {
  if (typeof content === 'string') return { text: content, bodyFile: null, size: Buffer.byteLength(content) };
  const [name, size, bytes] =
    'name' in content
      ? [content.name, content.size, await readBeginning(bodies, content.name, KEPT_MESSAGE_LIMIT)]
      : [await bodies.put(content), content.length, content.subarray(0, KEPT_MESSAGE_LIMIT)];
  return { text: null, bodyFile: name, size, beginning: beginningOf(bytes, contentType) };
};
