// Finds registry credentials where `docker login` and `podman login` store them: in Docker's or Podman's configuration
// file, or in the credential helpers that the files name.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readOrReason } from '../../../src/local/small-file.ts';
import { ExecutorError } from '../../ports/executor.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { parseJson, readField } from '../read-field.ts';

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
  readonly identitytoken?: string;
}

export interface LoginPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const HELPER_MS = 10_000;
/** A helper returns this user name if its secret is a token. */
const TOKEN_USER = '<token>';
const HELPER_NAME = /^[A-Za-z0-9._-]+$/;
/** The registry of image names without a host, and the name under which Docker stores its credentials. */
export const HUB = 'docker.io';
const HUB_KEY = 'https://index.docker.io/v1/';

/** The registry host of an image: for `localhost:5000/team/hello:dev`, it is `localhost:5000`. */
export const registryOf = (image: string): string => {
  const [host = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(host) || host === 'localhost') ? host : HUB;
};

const repositoryOf = (image: string): string => {
  const bare = image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  return registryOf(bare) === HUB && !bare.startsWith(`${HUB}/`) ? `${HUB}/${bare}` : bare;
};

/** Keys in a file may be addresses or hosts, and in Podman's file also hosts with a path. */
export const hostOf = (key: string): string => {
  const [host = ''] = key.replace(/^https?:\/\//, '').split('/');
  return /^(?:index|registry-1)\.docker\.io$/.test(host) ? HUB : host;
};

const keyOf = (host: string): string => (host === HUB ? HUB_KEY : host);

const loginOf = (serveraddress: string, username: string, secret: string): RegistryLogin =>
  username === TOKEN_USER
    ? { username: '', password: '', serveraddress, identitytoken: secret }
    : { username, password: secret, serveraddress };

/**
 * Runs a credential helper. Undefined if the helper has no credentials for the input.
 * @see https://docs.docker.com/reference/cli/docker/login/
 */
const runHelper = async (
  helper: string,
  { verb, input, env }: { readonly verb: 'get' | 'list'; readonly input: string; readonly env: LoginPlaces['env'] },
): Promise<unknown> => {
  const name = `docker-credential-${helper}`;
  const fail = (why: string) => new ExecutorError('unavailable', `${name} ${why}`);
  if (!HELPER_NAME.test(helper)) throw fail('is not the name of a credential helper');
  const child = spawn(name, [verb], { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: HELPER_MS });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.on('error', () => undefined).end(input);
  try {
    const [output, code] = await Promise.all([text(child.stdout), ended]);
    if (code === 0) return parseJson(output);
    if (/credentials not found/i.test(output)) return undefined;
    throw fail(`ended with ${code ?? `no response within ${HELPER_MS / 1000} s`}`);
  } catch (error) {
    throw error instanceof ExecutorError ? error : fail(`cannot be run: ${engineMessage(error)}`);
  }
};

const askHelper = async (helper: string, host: string, env: LoginPlaces['env']): Promise<RegistryLogin | undefined> => {
  const answer = await runHelper(helper, { verb: 'get', input: keyOf(host), env });
  if (answer === undefined) return undefined;
  const [username, secret] = ['Username', 'Secret'].map((field) => readField(answer, field));
  if (typeof username !== 'string' || typeof secret !== 'string')
    throw new ExecutorError('unavailable', `docker-credential-${helper} gave no user name and secret`);
  return loginOf(keyOf(host), username, secret);
};

const entriesOf = (config: unknown, field: string): readonly (readonly [string, unknown])[] => {
  const found = readField(config, field);
  return typeof found === 'object' && found !== null ? Object.entries(found) : [];
};

/** Credentials stored in the file itself, for a host or for the longest matching image path with its own entry. */
const storedIn = (config: unknown, repository: string, host: string): RegistryLogin | undefined => {
  const keys = entriesOf(config, 'auths')
    .filter(([key]) => hostOf(key) === host)
    .map(([key, stored]) => ({ key: key.replace(/^https?:\/\//, '').replace(/\/$/, ''), stored }));
  const paths = keys.filter(({ key }) => repository === key || repository.startsWith(`${key}/`));
  const [{ stored } = { stored: undefined }] =
    paths.length > 0 ? paths.sort((a, b) => b.key.length - a.key.length) : keys;
  const token = readField(stored, 'identitytoken');
  if (typeof token === 'string' && token !== '') return loginOf(keyOf(host), TOKEN_USER, token);
  const auth = readField(stored, 'auth');
  const [, username, password] =
    /^([^:]+):(.*)$/s.exec(typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : '') ?? [];
  return username === undefined || password === undefined ? undefined : loginOf(keyOf(host), username, password);
};

/** The configuration files, Docker's first. Podman has its own file, and reads Docker's after it. */
const filesOf = ({ env, home }: LoginPlaces): readonly string[] => {
  const runtime = env['XDG_RUNTIME_DIR'] || (process.getuid === undefined ? '' : `/run/containers/${process.getuid()}`);
  return [
    path.join(env['DOCKER_CONFIG'] || path.join(home, '.docker'), 'config.json'),
    ...(env['REGISTRY_AUTH_FILE'] ? [env['REGISTRY_AUTH_FILE']] : []),
    ...(runtime === '' ? [] : [path.join(runtime, env['XDG_RUNTIME_DIR'] ? 'containers' : '', 'auth.json')]),
    path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'containers', 'auth.json'),
  ];
};

/** The content of a file. Undefined if it cannot be read. @throws ExecutorError unavailable if it is not JSON */
const configIn = (file: string): unknown => {
  const found = readOrReason(file);
  if (!('text' in found)) return undefined;
  const config = parseJson(found.text);
  if (config === undefined) throw new ExecutorError('unavailable', `${file} is not JSON`);
  return config;
};

const helperFor = (config: unknown, host: string): string | undefined => {
  const named = entriesOf(config, 'credHelpers').find(([key]) => hostOf(key) === host)?.[1];
  const helper = named ?? readField(config, 'credsStore');
  return typeof helper === 'string' && helper !== '' ? helper : undefined;
};

/**
 * The credentials for a registry or for a path in it, read anew at each call. Undefined if there are none. A file or
 * helper that fails is skipped if another location has credentials.
 * @throws ExecutorError unavailable
 */
export const registryLogin = async (registry: string, places: LoginPlaces): Promise<RegistryLogin | undefined> => {
  const host = hostOf(registry);
  let trouble: unknown;
  for (const file of filesOf(places)) {
    try {
      const config = configIn(file);
      const helper = helperFor(config, host);
      const login = helper === undefined ? storedIn(config, registry, host) : await askHelper(helper, host, places.env);
      if (login !== undefined) return login;
    } catch (error) {
      trouble ??= error;
    }
  }
  if (trouble === undefined) return undefined;
  const message = `cannot get the credentials for the registry ${host}: ${engineMessage(trouble)}`;
  throw new ExecutorError('unavailable', message, { cause: trouble });
};

export const imageLogin = (image: string, places: LoginPlaces): Promise<RegistryLogin | undefined> =>
  registryLogin(repositoryOf(image), places);

/**
 * Credentials for all registries, for a build, whose base images only the engine knows. A failing helper is ignored,
 * because the build may not need it.
 */
export const allLogins = async (places: LoginPlaces): Promise<Readonly<Record<string, RegistryLogin>>> => {
  const hosts = new Set<string>();
  for (const file of filesOf(places)) {
    try {
      const config = configIn(file);
      for (const [key] of [...entriesOf(config, 'auths'), ...entriesOf(config, 'credHelpers')]) hosts.add(hostOf(key));
      const store = readField(config, 'credsStore');
      if (typeof store !== 'string' || store === '') continue;
      const listed = await runHelper(store, { verb: 'list', input: '', env: places.env });
      if (typeof listed === 'object' && listed !== null) for (const key of Object.keys(listed)) hosts.add(hostOf(key));
    } catch {
      // If a build needs these credentials, the registry refuses it, and the error then names the registry.
    }
  }
  const found = await Promise.all(
    [...hosts].map(async (host) => [keyOf(host), await registryLogin(host, places).catch(() => undefined)] as const),
  );
  return Object.fromEntries(found.flatMap(([key, login]) => (login === undefined ? [] : [[key, login]])));
};
