// Improves a NOT_FOUND failure: the message names the missing object, and the hint is the command that lists such
// objects.
import type { Route } from '../contract/for-client.ts';
import { parameterNames } from '../contract/operation.ts';
import { CliFailure } from '../failure.ts';

interface Kind {
  readonly word: string;
  readonly list: string;
  /** True if the name may be a credential, which a message must not show. */
  readonly secret?: true;
}

/** Kinds of objects, by the path parameter that names them. */
const kinds: Readonly<Record<string, Kind>> = {
  actorId: { word: 'actor', list: 'actorctl actors list' },
  alias: { word: 'alias', list: 'actorctl aliases list' },
  clientName: { word: 'client', list: 'actorctl clients list' },
  configName: { word: 'config', list: 'actorctl configs list' },
  deliveryId: { word: 'delivery', list: 'actorctl webhooks deliveries' },
  eventNumber: { word: 'event', list: 'actorctl events list' },
  executionId: { word: 'execution', list: 'actorctl executions list' },
  nonceId: { word: 'nonce', list: 'actorctl nonces list TARGET', secret: true },
  tenantId: { word: 'tenant', list: 'actorctl tenants list' },
  username: { word: 'user', list: 'actorctl profiles list' },
  version: { word: 'version', list: 'actorctl state history ACTOR' },
  workerId: { word: 'worker', list: 'actorctl workers list ACTOR' },
};

/**
 * Names the missing object in the message, and adds a hint if the failure has none. Other failures are returned
 * unchanged.
 */
export const nameMissing = (
  failure: CliFailure,
  { path }: Pick<Route, 'path'>,
  params: Readonly<Record<string, string>> = {},
): CliFailure => {
  if (failure.code !== 'NOT_FOUND') return failure;
  const names = parameterNames(path);
  // If a path names several objects, the message of the service says which one is missing; otherwise the last one is
  // assumed.
  const said = /no such (\w+)/.exec(failure.message)?.[1];
  const missing = names.find((name) => kinds[name]?.word === said) ?? names.at(-1);
  const kind = missing === undefined ? undefined : kinds[missing];
  const value = missing === undefined ? undefined : params[missing];
  if (kind === undefined || value === undefined) return failure;
  const isNamed = kind.secret || failure.message.includes(value);
  const message = isNamed ? failure.message : `there is no ${kind.word} "${value}"`;
  return new CliFailure(failure.code, message, { hint: kind.list, ...failure.extras });
};
