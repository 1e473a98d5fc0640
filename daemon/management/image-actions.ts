// The actions of the management socket on images: build, describe and try.
import * as z from 'zod/mini';
import { MESSAGE_LIMIT } from '../../src/contract/actors/messages.ts';
import { wholeReference } from '../../src/local/project/image-name.ts';
import type { Builder } from '../ports/builder.ts';
import type { Executor, RunLimits } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import { readBytes } from './read-bytes.ts';
import { readInput } from './read-input.ts';
import type { StreamActions } from './stream.ts';
import { tryImage } from './try-image.ts';

/** Longest run time of a trial, in ms. */
const LONGEST_TRIAL = 60 * 60 * 1000;

const texts = z.record(z.string(), z.string());
const buildInput = z.object({
  image: z.string(),
  folder: z.string(),
  dockerfile: z.string(),
  args: texts,
  target: z.optional(z.string()),
  platform: z.optional(z.string()),
  noCache: z.boolean(),
  pull: z.boolean(),
});
const imageInput = z.object({ image: z.string() });
const trialInput = z.object({
  image: z.string(),
  contentType: z.enum(['str', 'application/json', 'application/octet-stream']),
  environment: texts,
  timeoutMs: z.number().check(z.minimum(1), z.maximum(LONGEST_TRIAL)),
});

/** Creates the actions. Their client is `src/local/daemon/image-client.ts`. */
export const imageActions = (deps: {
  readonly builder: Builder;
  readonly executors: readonly Executor[];
  readonly ids: Ids;
  readonly limits: RunLimits;
  readonly store: Store;
}): StreamActions => ({
  'POST /manage/build': ({ input, body, say, signal }) => {
    const { target, platform, ...spec } = readInput(buildInput, input);
    return deps.builder.build(
      { ...spec, ...(target !== undefined && { target }), ...(platform !== undefined && { platform }) },
      body,
      say,
      signal,
    );
  },
  'POST /manage/image': async ({ input, signal }) => {
    const { image } = readInput(imageInput, input);
    const found = await deps.builder.inspect(image, signal);
    if (found === undefined) return { found: false };
    const { origin } = found;
    if (origin === undefined) return { found: true, image: found };
    const whole = wholeReference(image);
    const users: string[] = [];
    for (const actor of deps.store.all('actors'))
      if (wholeReference(actor.image) === whole) users.push(actor.name || actor.id);
    return { found: true, image: { ...found, origin: { ...origin, users } } };
  },
  // The body is the message.
  'POST /manage/try': async ({ input, body, signal }) =>
    tryImage(deps, { ...readInput(trialInput, input), body: await readBytes(body, MESSAGE_LIMIT) }, signal),
});
