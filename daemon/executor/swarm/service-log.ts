// Reads the output of a run from its service log: while it runs, and completely after its end.
import type { LogSink } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { type Reading, readStream } from '../docker/log-stream.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { createResumableSink } from '../resumable-sink.ts';
import type { SwarmCalls } from './swarm-calls.ts';

const QUIET_MS = 10_000;
const ATTEMPTS = 3;

export const createServiceLog = (inputs: {
  readonly calls: SwarmCalls;
  readonly serviceId: string;
  readonly sink: LogSink;
  readonly logger: Logger;
}) => {
  const { calls, serviceId, logger } = inputs;
  const resumable = createResumableSink(inputs.sink);
  let live: Promise<Reading | undefined> = Promise.resolve(undefined);

  /** The manager puts its own failures into the stream, such as a node that does not respond. */
  const read = async (follow: boolean): Promise<{ reading: Reading; faults: string[] }> => {
    const faults: string[] = [];
    const stream = await calls.log(serviceId, follow);
    return {
      reading: readStream(stream, resumable.forNextSource(), { onEngineMessage: (text) => faults.push(text) }),
      faults,
    };
  };

  const stop = (): Promise<void> => live.then((reading) => reading?.stop());

  return {
    /** Passes on the output while the run is running. Returns at once; a failure only delays the output. */
    follow: (): void => {
      live = read(true).then(
        ({ reading }) => reading,
        (error: unknown) => {
          logger.debug({ serviceId, why: engineMessage(error) }, 'cannot follow the log of a service');
          return undefined;
        },
      );
    },
    /** Reads the rest after the end, so that the sink has the whole output. Never throws. */
    finish: async (): Promise<void> => {
      // Two sources at the same time would both deliver the same bytes.
      await stop();
      let why = '';
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        try {
          const { reading, faults } = await read(false);
          const whole = await reading.settled(QUIET_MS);
          reading.stop();
          if (whole && faults.length === 0) return;
          why = faults.join(' ') || 'the stream broke off';
        } catch (error) {
          why = engineMessage(error);
        }
      }
      logger.warn({ serviceId, why }, 'the swarm did not deliver the whole log of a run');
    },
    stop: (): void => void stop(),
  };
};
