// Explains why an engine cannot get an image: missing credentials, no network, or a wrong name. Pure.
import { HUB, hostOf, registryOf } from './registry-login.ts';

/** Phrases with which an engine or a registry asks for credentials or refuses them. */
const REFUSED =
  /unauthorized|authentication required|no basic auth credentials|access denied|access.* is denied|(?:^|: )denied:|\b403\b/i;

/** Phrases about a registry that does not respond, or that has a fault of its own. */
const AWAY =
  /connection refused|connection reset|no such host|server misbehaving|name resolution|timeout|deadline exceeded|no route to host|network is unreachable|proxyconnect|EOF$|unexpected HTTP status: 5\d\d/i;

/** True if a message says that a registry cannot be reached, so that the name of the image and its build may be correct. */
export const isRegistryAway = (why: string): boolean => AWAY.test(why);

/** Phrases about an image that a registry does not have. */
const MISSING = /manifest unknown|not found|does not exist|name unknown/i;

/** The registry that the message of an engine is about: perhaps that of a base image. */
const registryIn = (why: string, image: string): string => {
  const [, address] = /https?:\/\/([^/"\s]+)\/v2\//.exec(why) ?? [];
  const [, denied] = /denied for ([^\s,]+)/.exec(why) ?? [];
  return address === undefined ? registryOf(denied ?? image) : hostOf(address);
};

/**
 * Advice for an image that an engine may not pull or push, appended to the engine's message. Empty if the message is not
 * about credentials.
 * @param login.found whether the engine had credentials
 * @param login.trouble why the credentials cannot be read
 */
export const loginAdvice = (
  why: string,
  image: string,
  { found, trouble }: { readonly found: boolean; readonly trouble?: string | undefined },
): string => {
  if (!REFUSED.test(why)) return '';
  const host = registryIn(why, image);
  const command = host === HUB ? 'docker login' : `docker login ${host}`;
  const what = found
    ? `The registry ${host} refused the stored credentials: log in again`
    : `${/does not exist/i.test(why) ? 'If the image is private, log' : 'Log'} in to the registry ${host}`;
  return `. ${what} with "${command}" as the user of the daemon${trouble === undefined ? '' : `; ${trouble}`}`;
};

/**
 * Advice for an image that an engine cannot pull, appended to the engine's message. Empty if the cause is unknown.
 * @see `loginAdvice` for the inputs
 */
export const pullAdvice = (...[why, image, login]: Parameters<typeof loginAdvice>): string => {
  const advice = loginAdvice(why, image, login);
  if (advice !== '') return advice;
  const host = registryIn(why, image);
  if (isRegistryAway(why))
    return `. The engine cannot reach the registry ${host}. Without a network, use an image that the engine has, or add one with "docker load -i FILE"`;
  return MISSING.test(why) ? `. The registry ${host} has no such image: check its name and tag` : '';
};
