// What is done when the engine cannot say what an image or a container is.
import { expect, it } from 'vitest';
import { inspectRun } from '../../../daemon/executor/docker/follow-container.ts';
import { inspectImage } from '../../../daemon/executor/docker/images.ts';
import { refusing } from '../../support/engine/refusing.ts';

const image = { Id: 'sha256:1' };
const never = new AbortController().signal;
const changing = [
  500,
  'failed to convert ImageData to ImageInspect: locating image with ID "1": image not known',
] as const;

it('an image inspection is repeated while other images change', async () => {
  const { connection, asked } = refusing(image, changing, changing);
  expect(await inspectImage(connection, 'a', never)).toEqual(image);
  expect(asked()).toBe(3);
});

it('a container inspection is repeated if its process ends meanwhile', async () => {
  const { connection, asked } = refusing(image, [500, 'read /proc/20378/cgroup: no such process']);
  expect(await inspectRun(connection, 'c')).toEqual(image);
  expect(asked()).toBe(2);
});

it('an inspection ends when the signal fires meanwhile', async () => {
  const stop = new AbortController();
  const { connection } = refusing(image, changing, changing);
  const inspected = inspectImage(connection, 'a', stop.signal);
  stop.abort();
  await expect(inspected).rejects.toThrow('aborted');
});

it('an inspection fails at once for another reason, and is undefined without the image', async () => {
  const broken = refusing(image, [500, 'no space left on device']);
  await expect(inspectImage(broken.connection, 'a', never)).rejects.toThrow('no space left');
  const missing = refusing(image, [404, 'image not known']);
  expect(await inspectImage(missing.connection, 'a', never)).toBeUndefined();
  expect([broken.asked(), missing.asked()]).toEqual([1, 1]);
});
