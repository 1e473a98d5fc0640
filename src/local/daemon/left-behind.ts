// The executions that run on in their engines after their daemon has stopped, as the daemon recorded them.
import * as z from 'zod/mini';
import { readOwnJson } from '../own-place.ts';

const leftBehind = z.object({
  data_dir: z.string(),
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

/** What the last daemon of an instance left running. Undefined if it left nothing, or if the file is unreadable. */
export const readLeftBehind = async (file: string): Promise<LeftBehind | undefined> => {
  const parsed = leftBehind.safeParse(readOwnJson(file));
  return parsed.success ? parsed.data : undefined;
};
