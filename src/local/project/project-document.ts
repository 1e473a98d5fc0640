// The fields of actorctl.json.
import * as z from 'zod/mini';

const texts = z.record(z.string(), z.string());

/** Schema of actorctl.json. */
export const projectDocument = z.strictObject({
  name: z.optional(z.string().check(z.minLength(1))),
  alias: z.optional(z.string()),
  image: z.optional(z.string().check(z.minLength(1))),
  description: z.optional(z.string()),
  build: z.optional(
    z.strictObject({
      context: z.optional(z.string()),
      dockerfile: z.optional(z.string()),
      args: z.optional(texts),
      platform: z.optional(z.string()),
      target: z.optional(z.string()),
    }),
  ),
  stateless: z.optional(z.boolean()),
  token: z.optional(z.boolean()),
  hints: z.optional(z.array(z.string())),
  memory: z.optional(z.string()),
  /** Number of processors: 2, 0.5. */
  cpus: z.optional(z.number().check(z.positive(), z.maximum(9_999))),
  placement: z.optional(z.array(z.string())),
  /** Seconds. */
  time_limit: z.optional(z.int().check(z.minimum(1))),
  workers: z.optional(z.int().check(z.minimum(1))),
  env: z.optional(texts),
  env_file: z.optional(z.string()),
  sender_variables: z.optional(z.array(z.string())),
  configs: z.optional(z.array(z.string())),
  link: z.optional(z.string()),
  webhook: z.optional(z.string()),
  cron: z.optional(z.string()),
  permissions: z.optional(z.record(z.string(), z.enum(['NONE', 'READ', 'EXECUTE', 'UPDATE']))),
  message_schema: z.optional(z.string()),
  /** The service that the folder belongs to. Used by the settings. */
  context: z.optional(z.string()),
  instance: z.optional(z.string()),
});

/** The parsed actorctl.json. */
export type ProjectDocument = z.output<typeof projectDocument>;
