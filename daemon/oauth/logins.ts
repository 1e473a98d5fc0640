// Handlers of logins: lists the logins of a user, and ends one of them. @see docs/oauth.md#revocation
import type { ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { toWireTime } from '../../src/contract/wire.ts';
import { Failure } from '../domain/failure.ts';
import { endLogin, type GrantLogin, loginsOf } from '../domain/oauth/logins.ts';
import { managedTenant } from '../domain/people/tenant.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller, Handlers } from '../http/route-handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

interface LoginsDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Login = ResultOf<Operations['logins.list']>[number];
type Person = Pick<Caller, 'tenant' | 'username'>;

const DEFAULT_LIMIT = 200;

const listed = 'Logins retrieved successfully.';
const done = 'Login ended successfully.';

/** Refuses execution tokens: their code must not see or end what its owner uses elsewhere. */
const demandPerson = ({ executionId }: Caller): void => {
  if (executionId === undefined) return;
  throw new Failure('FORBIDDEN', 'The token of an execution cannot manage logins. Use the token of a login.');
};

const grantFields = ({ flow, clientId, clientName, scope, renewedAt, browser }: GrantLogin) => ({
  ...{ flow, clientId, clientName, scope },
  ...(renewedAt !== undefined && { lastRenewTime: toWireTime(renewedAt) }),
  ...(browser !== undefined && { browser }),
});

export const loginsHandlers = ({
  store,
  vault,
  clock,
  logger,
}: LoginsDependencies): Handlers<'logins.list' | 'logins.end' | 'logins.listOfUser' | 'logins.endOfUser'> => {
  const list = (person: Person, { grantId }: Caller, limit = DEFAULT_LIMIT): Login[] => {
    const all = loginsOf(store, person, clock.now(), vault.digest);
    const asking = all.find((each): each is GrantLogin => each.kind === 'grant' && each.id === grantId);
    return all.slice(0, limit).map(
      (each): Login => ({
        id: each.id,
        kind: each.kind,
        ...(each.kind === 'grant' ? grantFields(each) : { lastUseTime: toWireTime(each.seenAt) }),
        createTime: toWireTime(each.begunAt),
        ...(each.endsAt !== undefined && { expireTime: toWireTime(each.endsAt) }),
        current: asking !== undefined && (each === asking || each.id === asking.browser),
      }),
    );
  };

  /** The login is ended durably when the promise resolves. @throws Failure NOT_FOUND */
  const end = async (person: Person, id: string, by: Caller): Promise<ResultOf<Operations['logins.end']>> => {
    const ended = await store.transact((tx) => endLogin(tx, person, id, clock.now(), vault.digest));
    if (ended === undefined) {
      throw new Failure('NOT_FOUND', `There is no login "${id}". It may have ended already.`);
    }
    const { tenant, username: user } = person;
    logger.info({ event: 'login-ended', by: by.username, tenant, user, login: id, ...ended }, 'login ended');
    return { ended: id, ...ended };
  };

  const personOf = (caller: Caller, username: string, named: string | undefined): Person => {
    const tenant = managedTenant(caller, named, store.all('tenants'));
    if (store.get('users', joinKey(tenant, username)) === undefined) {
      throw new Failure('NOT_FOUND', `There is no user "${username}" in tenant "${tenant}". Check the name.`);
    }
    return { tenant, username };
  };

  return {
    'logins.list': ({ caller, query }) => {
      demandPerson(caller);
      return { result: list(caller, caller, query.limit), message: listed };
    },
    'logins.end': async ({ caller, params }) => {
      demandPerson(caller);
      return { result: await end(caller, params.loginId, caller), message: done };
    },
    'logins.listOfUser': ({ caller, params, query }) => ({
      result: list(personOf(caller, params.username, query.tenant), caller, query.limit),
      message: listed,
    }),
    'logins.endOfUser': async ({ caller, params, query }) => ({
      result: await end(personOf(caller, params.username, query.tenant), params.loginId, caller),
      message: done,
    }),
  };
};
