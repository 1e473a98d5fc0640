// Settings of one run of the command line. Precedence: flag, ACTORCTL_* variable, project, context, file, default.
import * as z from 'zod/mini';
import { CliFailure, usage } from '../failure.ts';
import { contextsDocument, isOrigin } from './contexts.ts';
import { type GivenNonce, givenNonce } from './credentials/run-nonce.ts';
import { nearest } from './nearest.ts';
import { DEFAULT_INSTANCE, isInstanceName } from './paths.ts';

const formats = ['table', 'wide', 'name', 'id', 'json', 'ndjson', 'yaml', 'env'] as const;
const colors = ['auto', 'always', 'never'] as const;
const stores = ['auto', 'keychain', 'file', 'memory'] as const;

/** Where credentials are stored. `auto`: the keychain if it works. */
export type StoreChoice = (typeof stores)[number];

/** Everything a run depends on besides its arguments. Secret settings are never printed. */
export interface Settings {
  /** Name of the context. `local`, unless defined in the contexts file, is the daemon of the instance. */
  readonly context: string;
  readonly instance: string;
  /** Name under which credentials are stored. */
  readonly account: string;
  readonly output: (typeof formats)[number];
  readonly color: (typeof colors)[number];
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly noInput: boolean;
  readonly yes: boolean;
  /** Start the local daemon if it does not run. */
  readonly autostart: boolean;
  /** Time limit of one request in milliseconds. */
  readonly timeoutMs: number;
  /** Origin of the service, if it is not the local daemon. */
  readonly baseUrl?: string;
  /** Origin of the authorization service, if it differs from `baseUrl`. */
  readonly authUrl?: string;
  /** Tenant of the context. */
  readonly tenant?: string;
  /** Client of the context to log in with, instead of this program's own client. */
  readonly loginClient?: string;
  readonly tokenFile?: string;
  /** Secret. */
  readonly token?: string;
  readonly clientId?: string;
  /** Secret. */
  readonly clientSecret?: string;
  readonly nonce?: GivenNonce;
  readonly credentialStore: StoreChoice;
  /** Absent values: the defaults of the daemon. */
  readonly daemon: { readonly port?: string; readonly bind?: string };
  readonly dockerHost?: string;
  /** First user, created by the first `up`. The password is secret. */
  readonly admin: { readonly username?: string; readonly password?: string };
}

/** Values of the global flags. Absent: the flag was not given. */
export interface GlobalFlags {
  readonly context?: string | undefined;
  readonly instance?: string | undefined;
  readonly output?: string | undefined;
  readonly color?: string | undefined;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly noInput?: boolean;
  readonly yes?: boolean;
  readonly up?: boolean;
  readonly timeout?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly nonce?: string | undefined;
}

const port = z.union([z.literal('auto'), z.int().check(z.gte(1), z.lte(65_535))], 'must be a port or auto');

const settingsDocument = z.strictObject({
  output: z.optional(z.enum(formats)),
  color: z.optional(z.enum(colors)),
  context: z.optional(z.string()),
  credential_store: z.optional(z.enum(stores)),
  timeout: z.optional(z.string()),
  'daemon.port': z.optional(port),
  'daemon.bind': z.optional(z.string()),
  'daemon.autostart': z.optional(z.boolean()),
  'docker.host': z.optional(z.string()),
});

/**
 * A project contributes names only, never an address: a folder from another person must not decide where tokens are
 * sent.
 */
const projectDocument = z.object({ context: z.optional(z.string()), instance: z.optional(z.string()) });

/** Parsed JSON of the settings files that exist. */
export interface SettingsFiles {
  readonly settings?: { readonly path: string; readonly value: unknown };
  readonly contexts?: { readonly path: string; readonly value: unknown };
  readonly project?: { readonly path: string; readonly value: unknown };
}

export interface SettingsInput {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: SettingsFiles;
  /** Parses a duration into milliseconds. @throws CliFailure USAGE */
  readonly duration: (text: string) => number;
}

const read = <S extends z.ZodMiniType>(
  schema: S,
  file: { readonly path: string; readonly value: unknown } | undefined,
  known: readonly string[],
): z.output<S> | undefined => {
  if (!file) return undefined;
  const result = schema.safeParse(file.value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const meant = nearest(key, known);
    throw usage(
      `${file.path}: no setting named "${key}"`,
      meant ? `did you mean "${meant}"?` : `the settings are: ${known.join(', ')}`,
    );
  }
  throw usage(`${file.path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'cannot be used'}`);
};

const oneOf = <const C extends readonly string[]>(
  name: string,
  value: string | undefined,
  words: C,
): C[number] | undefined => {
  if (value === undefined || value === '') return undefined;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw usage(`${name} must be one of ${words.join(', ')}, not "${value}"`);
};

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());

/** Removes undefined and empty values. */
const given = <T extends Readonly<Record<string, string | undefined>>>(values: T): { [K in keyof T]?: string } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as {
    [K in keyof T]?: string;
  };

const targetOf = ({ flags, env, files }: SettingsInput, fallback: string | undefined) => {
  const project = read(projectDocument, files.project, ['context', 'instance']);
  const contexts = read(contextsDocument, files.contexts, ['current', 'contexts']);
  const context =
    flags.context || env['ACTORCTL_CONTEXT'] || project?.context || contexts?.current || fallback || 'local';
  const known = contexts?.contexts ?? {};
  const chosen = Object.hasOwn(known, context) ? known[context] : undefined;
  if (!chosen && context !== 'local') {
    const meant = nearest(context, ['local', ...Object.keys(known)]);
    throw new CliFailure('USAGE', `no context named "${context}"`, meant ? { hint: `did you mean "${meant}"?` } : {});
  }
  const instance =
    flags.instance || env['ACTORCTL_INSTANCE'] || project?.instance || chosen?.instance || DEFAULT_INSTANCE;
  if (!isInstanceName(instance)) {
    throw usage(`"${instance}" is not a valid instance name`, 'use letters, digits, "-" and "_", at most 40 of them');
  }
  const fromEnv = env['ACTORCTL_BASE_URL'] || undefined;
  if (fromEnv !== undefined && !isOrigin(fromEnv)) {
    throw usage(`ACTORCTL_BASE_URL must be an origin like http://127.0.0.1:8722, not "${fromEnv}"`);
  }
  const baseUrl = (fromEnv ?? chosen?.base_url)?.replace(/\/$/, '');
  // A credential belongs to the service that issued it. It must not be sent to another address.
  const account =
    fromEnv !== undefined ? `url/${baseUrl}` : chosen?.base_url ? `context/${context}` : `local/${instance}`;
  const authUrl = fromEnv === undefined ? chosen?.auth_url?.replace(/\/$/, '') : undefined;
  return {
    context,
    instance,
    account,
    ...given({ baseUrl, authUrl, tenant: chosen?.tenant, loginClient: chosen?.client }),
  };
};

/**
 * Resolves the settings of a run.
 * @throws CliFailure USAGE naming the invalid flag, variable or file, with a suggestion for an unknown key
 * @see docs/cli.md 8.1
 */
export const resolveSettings = (input: SettingsInput): Settings => {
  const { flags, env, files, duration } = input;
  const file = read(settingsDocument, files.settings, Object.keys(settingsDocument.shape));
  const timeout = flags.timeout || env['ACTORCTL_TIMEOUT'] || file?.timeout;
  const filePort = file?.['daemon.port'];
  const nonce = givenNonce(flags.nonce, env['ACTORCTL_NONCE']);
  const daemon = given({
    port: env['ACTORCTL_PORT'] || (filePort === undefined ? undefined : String(filePort)),
    bind: env['ACTORCTL_BIND'] || file?.['daemon.bind'],
  });
  return {
    ...targetOf(input, file?.context),
    output:
      oneOf('--output', flags.output, formats) ??
      oneOf('ACTORCTL_OUTPUT', env['ACTORCTL_OUTPUT'], formats) ??
      file?.output ??
      'table',
    color: oneOf('--color', flags.color, colors) ?? file?.color ?? 'auto',
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    debug: flags.debug === true || isOn(env['ACTORCTL_DEBUG']),
    noInput: flags.noInput === true || isOn(env['ACTORCTL_NO_INPUT']) || isOn(env['CI']),
    yes: flags.yes ?? false,
    autostart:
      flags.up === true ||
      (env['ACTORCTL_AUTOSTART'] ? isOn(env['ACTORCTL_AUTOSTART']) : (file?.['daemon.autostart'] ?? false)),
    timeoutMs: timeout ? duration(timeout) : 30_000,
    credentialStore:
      oneOf('ACTORCTL_CREDENTIAL_STORE', env['ACTORCTL_CREDENTIAL_STORE'], stores) ?? file?.credential_store ?? 'auto',
    ...(nonce && { nonce }),
    daemon,
    admin: given({ username: env['ACTORCTL_ADMIN_USER'], password: env['ACTORCTL_ADMIN_PASSWORD'] }),
    ...given({
      tokenFile: flags.tokenFile,
      token: env['ACTORCTL_TOKEN'],
      clientId: env['ACTORCTL_CLIENT_ID'],
      clientSecret: env['ACTORCTL_CLIENT_SECRET'],
      dockerHost: file?.['docker.host'],
    }),
  };
};
