// The owner's handlers of images: build, describe and try.
import { MESSAGE_LIMIT } from '../../src/contract/actors/messages.ts';
import type { imageOperations } from '../../src/contract/owner/images.ts';
import { wholeReference } from '../../src/local/project/image-name.ts';
import { executionWarnings } from '../domain/executions/run-warnings.ts';
import { Failure } from '../domain/failure.ts';
import type { Handlers } from '../http/route-handler.ts';
import type { Builder } from '../ports/builder.ts';
import type { Executor, RunLimits } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import { longHandler } from './long-handler.ts';
import { tryImage } from './try-image.ts';

const readBytes = async (body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw new Failure('PAYLOAD_TOO_LARGE', `the request body must have at most ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export const imageHandlers = (deps: {
  readonly builder: Builder;
  readonly executors: readonly Executor[];
  readonly ids: Ids;
  readonly limits: RunLimits;
  readonly store: Store;
  readonly logger: Logger;
}): Handlers<keyof typeof imageOperations> => ({
  'images.build': longHandler('images.build', deps.logger, ({ input, body, say, signal }) =>
    deps.builder.build(input, body, say, signal),
  ),
  'images.show': longHandler('images.show', deps.logger, async ({ input: { image }, signal }) => {
    const found = await deps.builder.inspect(image, signal);
    const executor = deps.executors.find((each) => each.takes(image));
    const warnings = [...executionWarnings({}, await executor?.means?.(), [])];
    if (found === undefined) return { warnings };
    const { origin, ...rest } = found;
    if (origin === undefined) return { image: rest, warnings };
    const whole = wholeReference(image);
    const users: string[] = [];
    for (const actor of deps.store.all('actors'))
      if (wholeReference(actor.image) === whole) users.push(actor.name || actor.id);
    return { image: { ...rest, origin: { ...origin, users } }, warnings };
  }),
  'images.try': longHandler('images.try', deps.logger, async ({ input, body, signal }) =>
    tryImage(deps, { ...input, body: await readBytes(body, MESSAGE_LIMIT) }, signal),
  ),
});
