// Settings of one run of the command line. Precedence: flag, ACTORCTL_* variable, project, context, file, default.
import { CliFailure, usage } from '../../failure.ts';
import { type GivenNonce, givenNonce } from '../credentials/run-nonce.ts';
import { type StartSetting, startRows } from '../daemon/start-options.ts';
import { nearest } from '../nearest.ts';
import { isOrigin } from '../origin.ts';
import { DEFAULT_INSTANCE, isInstanceName } from '../paths.ts';
import { isOn } from './is-on.ts';
import { type Candidate, choose, type Origin, type Origins } from './setting-origins.ts';
import { colors, formats, stores } from './setting-words.ts';
import type { CheckedFiles } from './settings-file.ts';

/** The error for an unknown context. It names the source of the context, and a command that works in spite of it. */
const missingContext = ({ value, source, from }: Origin<string>, known: readonly string[]): CliFailure => {
  const meant = nearest(value, known);
  const typed = meant === undefined ? 'actorctl context list -c local' : `did you mean "${meant}"?`;
  const hints: Readonly<Partial<Record<typeof source, string>>> = {
    file: 'actorctl settings unset context -c local',
    contexts: 'actorctl context use local -c local',
    project: `fix "context" in ${from}, or add -c local`,
  };
  const where = source === 'flag' ? '' : `, which ${from} names`;
  return new CliFailure('USAGE', `no context named "${value}"${where}`, { hint: hints[source] ?? typed });
};

/** Where credentials are stored. `auto`: the keychain if it works. */
export type StoreChoice = (typeof stores)[number];

/** All settings of a command. Secret settings are never printed. */
export interface Settings {
  /** Name of the context. `local`, unless defined in the contexts file, is the daemon of the instance. */
  readonly context: string;
  readonly instance: string;
  readonly account: string;
  readonly output: (typeof formats)[number];
  readonly color: (typeof colors)[number];
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly noInput: boolean;
  readonly yes: boolean;
  readonly autostart: boolean;
  readonly requestTimeoutMs: number;
  /** Origin of the service, if it is not the local daemon. */
  readonly baseUrl?: string;
  /** Origin of the authorization service, if it differs from `baseUrl`. */
  readonly authUrl?: string;
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
  /** First user, created by the first `up`. The password is secret. */
  readonly admin: { readonly username?: string; readonly password?: string };
  readonly origins: Origins;
  /** The variable and the project file that name a context, even if a flag takes precedence. */
  readonly namedContexts: readonly { readonly value: string; readonly from: string }[];
  /** Files of settings that are blank, as after a power failure, and count as absent. */
  readonly blankFiles: readonly string[];
  /** The blank file that may have named another service. Absent if a flag or a variable names the service. */
  readonly unsure?: string;
}

/** Values of the global flags. Absent if the flag was not given. */
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
  readonly autostart?: boolean;
  readonly requestTimeout?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly nonce?: string | undefined;
}

export interface SettingsInput {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: CheckedFiles;
  readonly blankFiles?: readonly string[];
  /** Parses a duration into milliseconds. @throws CliFailure USAGE */
  readonly duration: (text: string) => number;
}

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

/** Removes undefined and empty values. */
const given = <T extends Readonly<Record<string, string | undefined>>>(values: T): { [K in keyof T]?: string } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as {
    [K in keyof T]?: string;
  };

export const accountOfInstance = (instance: string): string => `local/${instance}`;

const targetOf = ({ flags, env, files }: SettingsInput, fallback: Origin<string>) => {
  const project = files.project?.value;
  const contexts = files.contexts?.value;
  const named: readonly Candidate<string>[] = [
    ['environment', 'ACTORCTL_CONTEXT', env['ACTORCTL_CONTEXT'] || undefined],
    ['project', files.project?.path, project?.context || undefined],
  ];
  const origin = choose<string>(fallback, ['flag', '--context', flags.context || undefined], ...named, [
    'contexts',
    files.contexts?.path,
    contexts?.current || undefined,
  ]);
  const context = origin.value;
  const known = contexts?.contexts ?? {};
  const chosen = Object.hasOwn(known, context) ? known[context] : undefined;
  if (!chosen && context !== 'local') throw missingContext(origin, ['local', ...Object.keys(known)]);
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
  const account = fromEnv ? `url/${baseUrl}` : chosen?.base_url ? `context/${context}` : accountOfInstance(instance);
  const authUrl = fromEnv === undefined ? chosen?.auth_url?.replace(/\/$/, '') : undefined;
  return {
    origin,
    namedContexts: named.flatMap(([, from = '', value]) => (value === undefined ? [] : [{ value, from }])),
    context,
    instance,
    account,
    ...given({ baseUrl, authUrl, tenant: chosen?.tenant, loginClient: chosen?.client }),
  };
};

/** Origins of the settings that are start options. Null if no source has a value. */
const startOrigins = ({ env, files }: SettingsInput) => {
  const file = files.settings;
  const rows = startRows.flatMap(([, row]) => {
    if (row.setting === undefined) return [];
    const { setting, variable = '', ofDocker, value: isText } = row;
    const text = env[variable] || undefined;
    const found = ['environment', variable, isText || text === undefined ? text : isOn(text)] as const;
    const set = ['file', file?.path, file?.value[setting]] as const;
    const none: Origin<string | number | boolean | null> = { value: null, source: 'default' };
    return [[setting, choose(none, ...(ofDocker ? [set, found] : [found, set]))]];
  });
  return Object.fromEntries(rows) as Pick<Origins, StartSetting>;
};

/** A token from a file often has a line end. @throws CliFailure USAGE if it cannot be sent in a header */
const tokenIn = (text: string | undefined): string | undefined => {
  const token = text?.trim();
  if (token === undefined || /^[\x21-\x7e]*$/.test(token)) return token;
  throw usage('ACTORCTL_TOKEN contains a space, a line break or another character that no token has');
};

const isTargetGiven = ({ flags, env, files }: SettingsInput, context: Origin<string>): boolean =>
  ['flag', 'environment', 'project'].includes(context.source) ||
  [flags.instance, env['ACTORCTL_INSTANCE'], env['ACTORCTL_BASE_URL'], files.project?.value.instance].some(Boolean);

/** Resolves the settings of a run. @see docs/cli.md#settings */
export const resolveSettings = (input: SettingsInput): Settings => {
  const { flags, env, files, blankFiles = [], duration } = input;
  const file = files.settings?.value;
  const nonce = givenNonce(flags.nonce, env['ACTORCTL_NONCE']);
  const set = <T>(value: T | undefined) => ['file', files.settings?.path, value] as const;
  const variable = <T>(name: string, value: T | undefined) => ['environment', name, value] as const;
  const named = <const C extends readonly string[]>(name: string, words: C) =>
    variable(name, oneOf(name, env[name], words));
  const text = (name: string) => variable(name, env[name] || undefined);
  const { origin: context, ...target } = targetOf(
    input,
    choose<string>({ value: 'local', source: 'default' }, set(file?.context || undefined)),
  );
  const origins: Origins = {
    output: choose<Settings['output']>(
      { value: 'table', source: 'default' },
      ['flag', '--output', oneOf('--output', flags.output, formats)],
      named('ACTORCTL_OUTPUT', formats),
      set(file?.output),
    ),
    color: choose<Settings['color']>(
      { value: 'auto', source: 'default' },
      ['flag', '--color', oneOf('--color', flags.color, colors)],
      set(file?.color),
    ),
    context,
    credential_store: choose<StoreChoice>(
      { value: 'auto', source: 'default' },
      named('ACTORCTL_CREDENTIAL_STORE', stores),
      set(file?.credential_store),
    ),
    request_timeout: choose<string>(
      { value: '30s', source: 'default' },
      ['flag', '--request-timeout', flags.requestTimeout || undefined],
      text('ACTORCTL_REQUEST_TIMEOUT'),
      set(file?.request_timeout || undefined),
    ),
    'daemon.autostart': choose<boolean>(
      { value: false, source: 'default' },
      ['flag', '--autostart', flags.autostart === true ? true : undefined],
      variable('ACTORCTL_AUTOSTART', env['ACTORCTL_AUTOSTART'] ? isOn(env['ACTORCTL_AUTOSTART']) : undefined),
      set(file?.['daemon.autostart']),
    ),
    ...startOrigins(input),
  };
  return {
    ...target,
    origins,
    blankFiles,
    output: origins.output.value,
    color: origins.color.value,
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    debug: flags.debug === true || isOn(env['ACTORCTL_DEBUG']),
    noInput: flags.noInput === true || isOn(env['ACTORCTL_NO_INPUT']) || isOn(env['CI']),
    yes: flags.yes ?? false,
    autostart: origins['daemon.autostart'].value,
    requestTimeoutMs: duration(origins.request_timeout.value),
    credentialStore: origins.credential_store.value,
    ...(nonce && { nonce }),
    admin: given({ username: env['ACTORCTL_ADMIN_USER'], password: env['ACTORCTL_ADMIN_PASSWORD'] }),
    ...given({
      unsure: isTargetGiven(input, context) ? undefined : blankFiles[0],
      tokenFile: flags.tokenFile,
      token: tokenIn(env['ACTORCTL_TOKEN']),
      clientId: env['ACTORCTL_CLIENT_ID'],
      clientSecret: env['ACTORCTL_CLIENT_SECRET'],
    }),
  };
};
