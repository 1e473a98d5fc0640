// The start options of the daemon, one row per option. Flags of the command line and of the daemon, variables,
// settings, checks, and the values that later starts reuse all come from this table.

import { listenAddress } from './listen-address.ts';

export const DEFAULT_PORT = 8722;

export interface StartOption {
  /** Long flag of the command line and of the daemon, without the dashes. */
  readonly flag: string;
  /** Flag that switches the option off, even if a setting or variable switches it on. */
  readonly off?: string;
  /** The placeholder of the value in the help. Absent if the option is a switch. */
  readonly value?: string;
  /** The description in the help. Absent if the option is not a flag of every start. */
  readonly summary?: string;
  readonly variable?: string;
  /** True if the variable belongs to Docker. The search for an engine reads it, and the setting overrides it. */
  readonly ofDocker?: true;
  /** Key of settings.json. */
  readonly setting?: string;
  readonly check?: { readonly rule: string; readonly fits: (value: string) => boolean };
  /** The one form of a value that fits. */
  readonly form?: (value: string) => string | undefined;
  readonly choices?: readonly string[];
  /** Kind of path in the value: a file, a folder, or `[TENANT=]FILE`. */
  readonly file?: 'path' | 'folder' | 'gateway';
  /** Another option that this option requires, and the value that the other option must have. */
  readonly needs?: { readonly option: 'engine' | 'legacy'; readonly value: string | boolean; readonly flags: string };
  /** The word that means "no value". */
  readonly none?: 'auto' | 'none';
  /** The default value, as `settings` shows it. */
  readonly fallback?: string | number | boolean;
  /** Which start reuses the value if no other source sets it: the next start, or only a restart of the daemon. */
  readonly kept?: 'start' | 'restart';
}

const isPort = (value: string): boolean => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535;
const port = {
  rule: 'a port from 1 to 65535 or auto',
  fits: (value: string) => value === 'auto' || isPort(value),
};
const like = (rule: string, pattern: RegExp) => ({ rule, fits: (value: string) => pattern.test(value) });
const words = (...choices: readonly string[]) => ({
  choices,
  check: { rule: `one of ${choices.join(', ')}`, fits: (value: string) => choices.includes(value) },
});
const swarm = { option: 'engine', value: 'swarm', flags: '--engine swarm' } as const;
const legacy = { option: 'legacy', value: true, flags: '--legacy' } as const;

/** The order is that of the flags in the help and on the command line of the daemon. */
export const startOptions = {
  port: {
    flag: 'port',
    value: '<n|auto>',
    summary: `port to listen on (default: port of the last start, else ${DEFAULT_PORT}; auto: any free port)`,
    variable: 'ACTORCTL_PORT',
    setting: 'daemon.port',
    check: port,
    fallback: DEFAULT_PORT,
    kept: 'start',
  },
  /** With port `auto`: the port to try first. */
  preferPort: { flag: 'prefer-port', value: '<n>', check: { rule: 'a port from 1 to 65535', fits: isPort } },
  bind: {
    flag: 'bind',
    value: '<address>',
    summary: 'address to listen on (default 127.0.0.1)',
    variable: 'ACTORCTL_BIND',
    setting: 'daemon.bind',
    check: {
      rule: 'a host name or an address of this machine',
      fits: (value) => listenAddress(value) !== undefined,
    },
    form: listenAddress,
    fallback: '127.0.0.1',
    kept: 'restart',
  },
  insecureBind: { flag: 'insecure-bind', summary: 'allow an address that other machines can reach', kept: 'restart' },
  publicUrl: {
    flag: 'public-url',
    value: '<url|auto>',
    summary: 'URL at which people reach the daemon (auto: the address of --bind)',
    variable: 'ACTORCTL_PUBLIC_URL',
    setting: 'daemon.public_url',
    check: {
      rule: 'like http://192.168.1.5:8722, or auto',
      fits: (value) => value === 'auto' || (/^https?:\/\/[^/?#@]+\/?$/.test(value) && URL.canParse(value)),
    },
    form: (value) => (value === 'auto' ? value : new URL(value).origin),
    none: 'auto',
    kept: 'restart',
  },
  dataDir: { flag: 'data-dir', value: '<folder>', summary: 'data folder', file: 'folder', kept: 'restart' },
  dockerHost: {
    flag: 'docker-host',
    value: '<uri|auto>',
    summary: 'address of the container engine (auto: search for it)',
    variable: 'DOCKER_HOST',
    ofDocker: true,
    setting: 'docker.host',
    check: like('an address like unix:///var/run/docker.sock, or auto', /^(?:(?:unix|tcp|https?|npipe):\/\/.+|auto)$/s),
    none: 'auto',
    kept: 'start',
  },
  engine: {
    flag: 'engine',
    value: '<name>',
    summary: 'engine that runs containers: docker (default), swarm',
    variable: 'ACTORCTL_ENGINE',
    setting: 'daemon.engine',
    ...words('docker', 'swarm'),
    fallback: 'docker',
    kept: 'start',
  },
  /** Host, port and path, without a scheme. */
  registry: {
    flag: 'registry',
    value: '<host:port|none>',
    summary: 'registry to push images to (swarm)',
    variable: 'ACTORCTL_REGISTRY',
    setting: 'daemon.registry',
    check: like('like registry.example:5000, without a scheme', /^[a-z0-9.-]+(:\d{1,5})?(\/[a-z0-9._-]+)*$/),
    needs: swarm,
    none: 'none',
    kept: 'start',
  },
  advertiseUrl: {
    flag: 'advertise-url',
    value: '<url|auto>',
    summary: 'URL at which nodes reach the daemon (swarm; auto: find it)',
    variable: 'ACTORCTL_ADVERTISE_URL',
    setting: 'daemon.advertise_url',
    check: {
      rule: 'like http://10.0.0.5:8722, or auto',
      fits: (value) => value === 'auto' || (/^http:\/\/[^/?#@]+\/?$/.test(value) && URL.canParse(value)),
    },
    needs: swarm,
    none: 'auto',
    kept: 'start',
  },
  legacy: {
    flag: 'legacy',
    off: 'no-legacy',
    summary: 'also listen with https for programs of the hosted platform',
    variable: 'ACTORCTL_LEGACY',
    setting: 'legacy',
    fallback: false,
    kept: 'restart',
  },
  legacyPort: {
    flag: 'legacy-port',
    value: '<n|auto>',
    summary: 'https port of --legacy (default: 443, else 8443, else any free port)',
    variable: 'ACTORCTL_LEGACY_PORT',
    check: port,
    needs: legacy,
    kept: 'restart',
  },
  tlsCert: {
    flag: 'tls-cert',
    value: '<file>',
    summary: 'certificate of --legacy (default: created by a local authority)',
    variable: 'ACTORCTL_TLS_CERT',
    file: 'path',
    needs: legacy,
    kept: 'restart',
  },
  tlsKey: {
    flag: 'tls-key',
    value: '<file>',
    summary: 'key of the certificate of --legacy',
    variable: 'ACTORCTL_TLS_KEY',
    file: 'path',
    needs: legacy,
    kept: 'restart',
  },
  legacyJwtPublicKey: {
    flag: 'legacy-jwt-public-key',
    value: '<file>',
    summary: 'accept JWTs that this key signed: [TENANT=]FILE',
    variable: 'ACTORCTL_LEGACY_JWT_PUBLIC_KEY',
    file: 'gateway',
    needs: legacy,
    kept: 'restart',
  },
  ephemeral: { flag: 'ephemeral', kept: 'restart' },
  /** End the daemon with the process that `starter.json` names. */
  withStarter: { flag: 'with-starter', kept: 'restart' },
  /** File to which an orderly stop writes all data. */
  backupOnExit: { flag: 'backup-on-exit', value: '<file>', file: 'path', kept: 'restart' },
  /** True if the file of `--backup-on-exit` includes the key of secret configs. */
  backupKeys: { flag: 'with-keys', kept: 'restart' },
  /** Archive with the initial data of the daemon. */
  importFile: { flag: 'import', value: '<file>', file: 'path' },
  replace: { flag: 'replace' },
  /** Empty the instance, except for the kinds of records in `keep`. */
  reset: { flag: 'reset' },
  keep: { flag: 'keep', value: '<words>' },
} as const satisfies Readonly<Record<string, StartOption>>;

type Table = typeof startOptions;
export type StartKey = keyof Table;
type KeysWith<P> = { [K in StartKey]: Table[K] extends P ? K : never }[StartKey];
export type TextKey = KeysWith<{ readonly value: string }>;
export type KeptKey = KeysWith<{ readonly kept: string }>;
export type StartSetting = Table[KeysWith<{ readonly setting: string }>]['setting'];

/** Values of the start options: a text, or true or false for a switch. Absent if no source sets the option. */
export type StartValues = { readonly [K in StartKey]?: (K extends TextKey ? string : boolean) | undefined };

export type StartRow = StartOption & { readonly setting?: StartSetting };

export const startRows = Object.entries(startOptions) as readonly (readonly [StartKey, StartRow])[];

export const startRowOf = (setting: string): (typeof startRows)[number] | undefined =>
  startRows.find((each) => each[1].setting === setting);
