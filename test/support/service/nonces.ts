// An actor service with one actor, for tests of nonces: creates nonces, and sends requests with only a nonce.
import { expect } from 'vitest';
import { type ActorService, failed, type Name, people, startActorService } from './actor-service.ts';
import type { Answer, Call } from './call.ts';
import type { ServiceSettings } from './composed-services.ts';

/** A created nonce. */
export interface Made {
  /** The id under which it is listed. */
  readonly id: string;
  /** The secret that gives access. */
  readonly secret: string;
  readonly result: Answer['result'];
}

export interface NonceFixture {
  readonly service: ActorService;
  /** An actor of ana. */
  readonly actorId: string;
  /** Creates a nonce for an actor, by default the one of ana. */
  make(fields?: Readonly<Record<string, unknown>>, on?: string, as?: Name): Promise<Made>;
  /** Creates a nonce for an alias. */
  makeOn(alias: string, fields?: Readonly<Record<string, unknown>>, as?: Name): Promise<Made>;
  /** Points an alias to an actor, and returns the alias. */
  alias(name: string, target?: string, owner?: Name): Promise<string>;
  /** Sends a request with only a nonce in the query. */
  by(secret: string, method: string, path: string, asked?: Call): Promise<Answer>;
  /** Sends a message with a nonce. */
  send(secret: string, to?: string): Promise<Answer>;
  /** The number of uses of a nonce. */
  uses(id: string): number | undefined;
}

/** The single refusal for every fault of a nonce, for toMatchObject. */
export const refused = { status: 401, ...failed('AUTH_FAILED', /^The nonce is not valid here/) };

/** Starts a separate service. Close it with `service.close()`. */
export const startNonceFixture = async (settings: ServiceSettings = {}): Promise<NonceFixture> => {
  const service = await startActorService(settings);
  const actorId = await service.actor('ana', { name: 'one' });
  const madeAt = async (as: Name, path: string, json: Readonly<Record<string, unknown>>): Promise<Made> => {
    const { status, text, result } = await service.ask(as, 'POST', path, { json });
    expect(status, text).toBe(200);
    const secret = String(result['id']);
    return { secret, id: secret.slice(0, secret.indexOf('_') + 14), result };
  };
  const by: NonceFixture['by'] = (secret, method, path, asked = {}) => {
    const sign = path.includes('?') ? '&' : '?';
    return service.ask(undefined, method, `${path}${sign}x-nonce=${encodeURIComponent(secret)}`, asked);
  };
  return {
    service,
    actorId,
    by,
    make: (fields = {}, on = actorId, as = 'ana') => madeAt(as, `/actors/v2/${on}/nonces`, fields),
    makeOn: (alias, fields = {}, as = 'ana') => madeAt(as, `/actors/v2/aliases/${alias}/nonces`, fields),
    alias: async (name, target = actorId, owner = 'ana') => {
      const { tenant, username } = people[owner];
      const permissions = { [username]: 'UPDATE' } as const;
      await service.store.transact((tx) =>
        tx.put('aliases', {
          tenant,
          alias: name,
          actorId: target,
          owner: username,
          permissions,
          createdAt: 0,
          updatedAt: 0,
        }),
      );
      return name;
    },
    send: (secret, to = actorId) => by(secret, 'POST', `/actors/v2/${to}/messages`, { form: { message: 'hi' } }),
    uses: (id) => service.store.get('nonces', id)?.currentUses,
  };
};
