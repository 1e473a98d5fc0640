// Transfers the files of a run to its node: as configs and secrets of Swarm, and larger files by a URL of the daemon.
import { readFile, stat } from 'node:fs/promises';
import type { RunFile, RunSpec } from '../../ports/executor.ts';
import type { FileOffers } from '../../ports/file-offers.ts';
import { type Delivered, type MountedObject, runLabels } from './service-spec.ts';
import type { SwarmCalls } from './swarm-calls.ts';

/** Swarm refuses larger configs and secrets. */
const OBJECT_BYTES = 500_000;

const sizeOf = async (source: RunFile['source']): Promise<number> =>
  'bytes' in source ? source.bytes.byteLength : (await stat(source.file)).size;

const bytesOf = async (source: RunFile['source']): Promise<Buffer> =>
  'bytes' in source ? Buffer.from(source.bytes) : readFile(source.file);

/** Name of the variable with the URL of a file, instead of its path: `MSG_URL` for `MSG_FILE`. */
const urlVariable = (variable: string): string => variable.replace(/_FILE$/, '_URL');

const objectPrefix = (ref: string): string => `${ref}-`;

/** Removes the configs and secrets of a run without a service, including those whose creation got no response. */
export const removeFiles = async (calls: SwarmCalls, ref: string): Promise<void> => {
  for (const kind of ['config', 'secret'] as const) {
    const left = (await calls.objects(kind)).filter(({ name }) => name.startsWith(objectPrefix(ref)));
    for (const { id } of left) await calls.removeObject(kind, id);
  }
};

/** Creates the objects. After a failure, some of them may exist: the caller removes them with `removeFiles`. */
export const deliverFiles = async (inputs: {
  readonly calls: SwarmCalls;
  readonly offers: FileOffers;
  readonly instanceId: string;
  readonly ref: string;
  readonly spec: RunSpec;
  readonly files: readonly (RunFile & { readonly secret: boolean })[];
  readonly signal: AbortSignal;
}): Promise<Delivered> => {
  const { calls, offers, instanceId, ref, spec, files, signal } = inputs;
  const objects: MountedObject[] = [];
  const empty: string[] = [];
  const variables: Record<string, string> = {};
  for (const [index, file] of files.entries()) {
    const size = await sizeOf(file.source);
    if (size > OBJECT_BYTES) {
      variables[urlVariable(file.variable)] = await offers.offer(ref, file.source);
      continue;
    }
    variables[file.variable] = file.path;
    if (size === 0) {
      empty.push(file.path);
      continue;
    }
    const kind = file.secret ? 'secret' : 'config';
    const name = `${objectPrefix(ref)}${index}`;
    const id = await calls.createObject(kind, name, await bytesOf(file.source), runLabels(instanceId, spec), signal);
    objects.push({ kind, id, name, path: file.path });
  }
  return { objects, empty, variables };
};
