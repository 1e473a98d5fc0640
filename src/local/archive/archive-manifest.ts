// The manifest of a data archive. It is the first file of the archive and describes the contents.
import * as z from 'zod/mini';

export const ARCHIVE_VERSION = 1;

export const MANIFEST = 'manifest.json';
export const DIGESTS = 'SHA256SUMS';
export const KEY_FILE = 'config-key.json';

const count = z.int().check(z.gte(0));

const shape = z.object({
  format: z.literal('actorctl-data'),
  version: z.literal(ARCHIVE_VERSION),
  /** Version of the program that wrote the archive. */
  product: z.string().check(z.maxLength(100)),
  /** Schema version of the records. */
  schema: count,
  instance: z.string().check(z.maxLength(100)),
  instance_id: z.string().check(z.maxLength(100)),
  /** The time of the data in the archive, RFC 3339. */
  created_at: z.iso.datetime(),
  /** True if the key of the secret configs is in the archive. */
  keys: z.boolean(),
  records: z.record(z.string().check(z.maxLength(100)), count),
  /** Number of executions that were running at `created_at`. */
  running: count,
  /** Number of files other than the manifest and the digests, and their total size in bytes. */
  files: count,
  bytes: count,
});

export type ArchiveManifest = z.output<typeof shape>;

export const recordsIn = ({ records }: ArchiveManifest): number =>
  Object.values(records).reduce((sum, each) => sum + each, 0);

/**
 * The error for an archive that is damaged, has a newer version, or was not written by actorctl. The message gives
 * the reason without quoting contents.
 */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined;

const quoted = (value: unknown): string => JSON.stringify(String(value).slice(0, 100));

/** @param schema newest readable schema version; absent: any version */
export const parseManifest = (text: string, schema = Number.POSITIVE_INFINITY): ArchiveManifest => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ArchiveRefused(`its ${MANIFEST} is not JSON`);
  }
  if (fieldOf(value, 'format') !== 'actorctl-data') throw new ArchiveRefused('it is not an archive of actorctl');
  const version = fieldOf(value, 'version');
  const product = quoted(fieldOf(value, 'product'));
  if (typeof version === 'number' && version > ARCHIVE_VERSION) {
    const what = `it has format ${version}, but this actorctl reads format ${ARCHIVE_VERSION}`;
    throw new ArchiveRefused(`${what}. It was written by actorctl ${product}: install that version or a newer one`);
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ArchiveRefused(`its ${MANIFEST} is damaged: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (parsed.data.schema > schema) {
    const what = `its records have schema version ${parsed.data.schema}, but this actorctl reads version ${schema}`;
    throw new ArchiveRefused(`${what}. It was written by actorctl ${product}: install that version or a newer one`);
  }
  return parsed.data;
};

const CONTENT =
  /^(db\/[a-z]{1,40}\.json|db\/journal-1\.ndjson|bodies\/[0-9a-f]{32}|logs\/[A-Za-z0-9]{1,64}\.ndjson|config-key\.json)$/;

/**
 * True if an archive may contain a file with this name in addition to the manifest and the digests. A path that leads
 * out of the archive is refused.
 */
export const isContentName = (name: string): boolean => CONTENT.test(name);
