// A program that stands for the daemon in tests that kill it: creates and starts one run, and says where it is.
// Argument: JSON of the executor's options and of the run. Prints `ref <ref>`, then `seen <number of bytes>` as output comes.
import { createProcessExecutor } from '../../../daemon/executor/process/process-executor.ts';
import type { RunSpec } from '../../../daemon/ports/executor.ts';

export interface Orders {
  readonly runsFolder: string;
  readonly runnerPath: string;
  readonly socketPath: string;
  readonly spec: RunSpec;
  readonly start: boolean;
}

const main = async (): Promise<void> => {
  const { spec, start, ...paths }: Orders = JSON.parse(process.argv[2] ?? '');
  const ignore = () => undefined;
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const executor = createProcessExecutor({ ...paths, apiServer: () => undefined, logger });
  const ref = await executor.create(spec, new AbortController().signal);
  process.stdout.write(`ref ${ref}\n`);
  if (start) {
    let seen = 0;
    await executor.start(ref, (_, data) => {
      seen += data.length;
      process.stdout.write(`seen ${seen}\n`);
    });
  }
  setInterval(ignore, 1000);
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
