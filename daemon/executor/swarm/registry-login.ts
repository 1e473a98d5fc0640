// Finds the credentials for a registry where `docker login` keeps them: in Docker's configuration file, or in the
// credential helper that the file names.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { ExecutorError } from '../../ports/executor.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { parseJson, readField, readTextFile } from '../read-field.ts';

/** Credentials in the form in which an engine takes them. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
  readonly identitytoken?: string;
}

const HELPER_MS = 10_000;
/** A helper names this user if its secret is a token. */
const TOKEN_USER = '<token>';
const HELPER_NAME = /^[A-Za-z0-9._-]+$/;

const loginOf = (serveraddress: string, username: string, secret: string): RegistryLogin =>
  username === TOKEN_USER
    ? { username: '', password: '', serveraddress, identitytoken: secret }
    : { username, password: secret, serveraddress };

/** Asks a credential helper. Undefined if it has nothing for the host. @see https://docs.docker.com/reference/cli/docker/login/ */
const askHelper = async (
  helper: string,
  host: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RegistryLogin | undefined> => {
  const name = `docker-credential-${helper}`;
  const fail = (why: string) =>
    new ExecutorError('unavailable', `cannot get the credentials for the registry ${host}: ${name} ${why}`);
  if (!HELPER_NAME.test(helper)) throw fail('is no name of a credential helper');
  const child = spawn(name, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: HELPER_MS });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.on('error', () => undefined).end(host);
  try {
    const [output, code] = await Promise.all([text(child.stdout), ended]);
    if (code !== 0) {
      if (/credentials not found/i.test(output)) return undefined;
      throw fail(`ended with ${code ?? `no answer within ${HELPER_MS / 1000} s`}`);
    }
    const [username, secret] = ['Username', 'Secret'].map((field) => readField(parseJson(output), field));
    if (typeof username !== 'string' || typeof secret !== 'string') throw fail('gave no user name and secret');
    return loginOf(host, username, secret);
  } catch (error) {
    throw error instanceof ExecutorError ? error : fail(`cannot be run: ${engineMessage(error)}`);
  }
};

/**
 * The credentials that `docker login` stored for the host of a registry, read anew at each call; undefined if there are
 * none. @throws ExecutorError unavailable
 */
export const registryLogin = async (
  registry: string,
  { env, home }: { readonly env: Readonly<Record<string, string | undefined>>; readonly home: string },
): Promise<RegistryLogin | undefined> => {
  const [host = ''] = registry.split('/');
  const file = path.join(env['DOCKER_CONFIG'] || path.join(home, '.docker'), 'config.json');
  const content = await readTextFile(file);
  if (content === undefined) return undefined;
  const config = parseJson(content);
  if (config === undefined)
    throw new ExecutorError('unavailable', `cannot read the credentials for the registry ${host}: ${file} is not JSON`);
  const helper = readField(config, 'credHelpers', host) ?? readField(config, 'credsStore');
  if (typeof helper === 'string' && helper !== '') return askHelper(helper, host, env);
  const stored = readField(config, 'auths', host);
  const token = readField(stored, 'identitytoken');
  if (typeof token === 'string' && token !== '') return loginOf(host, TOKEN_USER, token);
  const auth = readField(stored, 'auth');
  const [, username, password] =
    /^([^:]+):(.*)$/s.exec(typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : '') ?? [];
  return username === undefined || password === undefined ? undefined : loginOf(host, username, password);
};
