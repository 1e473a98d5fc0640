// The record of a project lists the objects that belong to it. The record is the value of a config that is shared
// with no actor, because the service has no labels. @see docs/adr/0023-a-project-keeps-its-record-in-a-config.md

/** An image that apply built. Its id is meaningful only on the machine that built it. */
export interface BuiltRecord {
  readonly id: string;
  readonly host: string;
}

export interface ActorRecord {
  readonly id: string;
  /**
   * Fields that the file mentioned, with the field names of the service. A field returns to its default when the
   * file drops it.
   */
  readonly fields: readonly string[];
  /** Users whose level the file mentioned. */
  readonly users: readonly string[];
  /** Configs outside the project that apply shared with the actor. */
  readonly shares: readonly string[];
  /** The image with which the actor was last updated. Absent if apply did not build the image. */
  readonly built?: BuiltRecord;
}

export interface AliasRecord {
  readonly users: readonly string[];
}

export interface ConfigRecord {
  readonly users: readonly string[];
  /** Slow salted hash of the value of a secret, for detecting changes. */
  readonly digest?: string;
  /** The config revision that has this value. */
  readonly revision?: number;
}

export interface Claim {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  readonly processStart: string;
  readonly bootId: string;
}

export interface ProjectRecord {
  readonly version: 1;
  readonly salt: string;
  readonly actors: Readonly<Record<string, ActorRecord>>;
  readonly aliases: Readonly<Record<string, AliasRecord>>;
  readonly configs: Readonly<Record<string, ConfigRecord>>;
  readonly claim?: Claim;
}

const PREFIX = 'actorctl-project.';

export const recordName = (project: string): string => `${PREFIX}${project}`;

export const projectOfRecord = (config: string): string | undefined =>
  config.startsWith(PREFIX) ? config.slice(PREFIX.length) : undefined;

export const emptyRecord = (salt: string): ProjectRecord => ({
  version: 1,
  salt,
  actors: {},
  aliases: {},
  configs: {},
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each: unknown) => typeof each === 'string');

const isEntry = (value: unknown): value is Record<string, unknown> => isRecord(value) && isTexts(value['users']);

const isBuilt = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && typeof value['id'] === 'string' && typeof value['host'] === 'string');

const isActorEntry = (value: unknown): boolean =>
  isEntry(value) &&
  typeof value['id'] === 'string' &&
  isTexts(value['fields']) &&
  isTexts(value['shares']) &&
  isBuilt(value['built']);

/** True for a value that this version of actorctl wrote. Any user may create a config with such a name. */
export const isProjectRecord = (value: unknown): value is ProjectRecord => {
  if (!isRecord(value) || value['version'] !== 1 || typeof value['salt'] !== 'string') return false;
  const every = (section: unknown, is: (entry: unknown) => boolean): boolean =>
    isRecord(section) && Object.values(section).every(is);
  return every(value['actors'], isActorEntry) && every(value['aliases'], isEntry) && every(value['configs'], isEntry);
};

export const isEmptyRecord = ({ actors, aliases, configs }: ProjectRecord): boolean =>
  [actors, aliases, configs].every((section) => Object.keys(section).length === 0);

type Section = 'actors' | 'aliases' | 'configs';

/** The record with one entry changed, or removed if `entry` is undefined. */
export const withEntry = <S extends Section>(
  record: ProjectRecord,
  section: S,
  name: string,
  entry: ProjectRecord[S][string] | undefined,
): ProjectRecord => {
  const { [name]: _previous, ...others } = record[section];
  return { ...record, [section]: entry === undefined ? others : { ...others, [name]: entry } };
};
