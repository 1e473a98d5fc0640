// A container run with dockerode alone, for comparison with an execution.
import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import type Docker from 'dockerode';

const swallow = (): Writable & { text(): string } => {
  const chunks: Buffer[] = [];
  const sink = new PassThrough();
  sink.on('data', (chunk: Buffer) => chunks.push(chunk));
  return Object.assign(sink, { text: () => Buffer.concat(chunks).toString() });
};

/**
 * Runs one container from create to its complete output and exit code 0. Returns the output.
 * @param hostConfig at least its NetworkMode
 * @param removals receives the removal of the container, which happens in the background
 */
export const runContainer = async (
  docker: Docker,
  image: string,
  hostConfig: Docker.HostConfig,
  removals: Promise<unknown>[],
): Promise<string> => {
  const container = await docker.createContainer({
    Image: image,
    Env: ['MSG=hello'],
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: hostConfig,
  });
  const output = await container.attach({ stream: true, stdout: true, stderr: true });
  const sink = swallow();
  docker.modem.demuxStream(output, sink, sink);
  const ended = once(output, 'end');
  await container.start();
  const [{ StatusCode }] = (await Promise.all([container.wait(), ended])) as [{ StatusCode: number }, unknown];
  removals.push(container.remove({ force: true }));
  if (StatusCode !== 0) throw new Error(`the bare container ended with ${StatusCode}`);
  return sink.text();
};
