// The executions that continue to run in their engines after the daemon has stopped, as recorded by the daemon.
import * as z from 'zod/mini';
import { readOwnJson } from '../own-place.ts';

const leftBehind = z.object({
  data_dir: z.string(),
  /** Address of the engine, if --docker-host, a setting or DOCKER_HOST named it. */
  docker_host: z.optional(z.string()),
  executions: z.array(
    z.object({
      execution_id: z.string(),
      actor_id: z.string(),
      /** Name of the actor; its id if it has none. */
      actor: z.string(),
      runs_in: z.enum(['container', 'process']),
      /** Name of the container, or id of the run. */
      ref: z.string(),
    }),
  ),
});
export type LeftBehind = z.output<typeof leftBehind>;

/** The executions that the last daemon left running. Undefined if it left none, or if the file is unreadable. */
export const readLeftBehind = async (file: string): Promise<LeftBehind | undefined> => {
  const parsed = leftBehind.safeParse(readOwnJson(file));
  return parsed.success ? parsed.data : undefined;
};
