// A program in place of the daemon, for tests that kill it: creates and starts one run. Its argument is JSON with the
// options of the executor and of the run. It prints `ref <ref>`, then `seen <number of bytes>` for each output.
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
