// The nonce of a request, and the guards of operations.
import { describe, expect, it } from 'vitest';
import {
  assertAuthorized,
  authorizeResource,
  demandAdmin,
  refuseUnsafeNames,
  resourceGuardOf,
} from '../../../daemon/http/guard.ts';
import { requestNonceOf } from '../../../daemon/http/request-nonce.ts';
import type { ShownNonce } from '../../../daemon/ports/nonces.ts';
import { operations } from '../../../src/contract/operations.ts';
import { refusal, requestOf } from '../../support/service/bare-request.ts';

describe('the nonce of a request', () => {
  const guarded = { kind: 'actor', level: 'EXECUTE' } as const;
  const calls: [string, ShownNonce][] = [];
  const noted = (name: string) => (shown: ShownNonce) => {
    calls.push([name, shown]);
    return name as never;
  };
  const nonces = { holder: noted('holder'), still: noted('still'), redeem: noted('redeem') };
  const nonceOf = (headers: object, query: Readonly<Record<string, string | string[]>>, params = {}, guard = guarded) =>
    requestNonceOf(nonces, guard, requestOf({ ...headers }, params) as never, query);
  const textOf = (headers: object, query: Readonly<Record<string, string | string[]>>) => {
    nonceOf(headers, query)?.holder();
    return calls.at(-1)?.[1].text;
  };

  it('is read from the query or a header, and different values are refused', () => {
    expect(nonceOf({}, {})).toBeUndefined();
    expect(nonceOf({ authorization: 'Bearer x' }, { 'x-nonce': 'n' })).toBeUndefined();
    expect(textOf({}, { 'x-nonce': 'q' })).toBe('q');
    expect(textOf({ 'x-nonce': 'h' }, {})).toBe('h');
    expect(textOf({ 'x-nonce': 'n' }, { 'x-nonce': ['n', 'n'] })).toBe('n');
    expect(textOf({ 'x-nonce': 'other' }, { 'x-nonce': 'n' })).toBe('');
    expect(textOf({}, { 'x-nonce': ['n', 'other', 'n'] })).toBe('');
  });

  it('is redeemed once, and is held again afterwards without another use', async () => {
    calls.length = 0;
    const shown = { text: 'n', target: { place: 'actor', name: 'a1' }, level: 'EXECUTE', source: '127.0.0.9' };
    const nonce = nonceOf({}, { 'x-nonce': 'n' }, { actorId: 'a1', alias: 'b' });
    expect([nonce?.isRedeemed, nonce?.holder()]).toEqual([false, 'holder']);
    await nonce?.redeem();
    await nonce?.redeem();
    expect([nonce?.isRedeemed, nonce?.holder()]).toEqual([true, 'still']);
    expect(calls).toEqual(['holder', 'redeem', 'still'].map((name) => [name, shown]));
  });

  it('is for the actor or the alias that the path names', () => {
    for (const [kind, params, target] of [
      ['alias', { alias: 'b' }, { place: 'alias', name: 'b' }],
      ['alias', {}, { place: 'alias', name: '' }],
      ['actor', {}, { place: 'actor', name: '' }],
    ] as const) {
      nonceOf({}, { 'x-nonce': 'n' }, params, { kind, level: 'EXECUTE' } as never)?.holder();
      expect(calls.at(-1)?.[1].target).toEqual(target);
    }
  });
});

describe('a guard', () => {
  const caller = { tenant: 'DEV', username: 'ana', roles: [] };

  it('of an operation declares a kind and a level, or neither', () => {
    expect(resourceGuardOf('actor:READ')).toEqual({ kind: 'actor', level: 'READ' });
    expect(resourceGuardOf('actor:EXECUTE')).toEqual({ kind: 'actor', level: 'EXECUTE' });
    expect(resourceGuardOf('alias+actor:UPDATE')).toEqual({ kind: 'alias+actor', level: 'UPDATE' });
    expect(resourceGuardOf('alias:READ')).toEqual({ kind: 'alias', level: 'READ' });
    expect(resourceGuardOf('config:READ')).toEqual({ kind: 'config', level: 'READ' });
    for (const guard of ['public', 'caller', 'admin', 'basic-or-caller', 'actor:NONE', 'other:READ']) {
      expect(resourceGuardOf(guard as never)).toBeUndefined();
    }
  });

  it('finds the resource that the path names', () => {
    const found = (kind: string) => (who: unknown, name: string, level: string) => [kind, who, name, level] as never;
    const access = {
      actor: found('actor'),
      withinReach: () => undefined,
      idOrText: () => 'not asked here',
      alias: found('alias'),
      aliasAndActor: found('both'),
      config: found('config'),
    };
    const params = { actorId: 'a1', alias: 'b', configName: 'c' };
    const look = (kind: string, given: object = params) =>
      authorizeResource(access, caller, { kind, level: 'UPDATE' } as never, { ...given });
    expect(look('actor')).toEqual({ actor: ['actor', caller, 'a1', 'UPDATE'] });
    expect(look('alias')).toEqual({ alias: ['alias', caller, 'b', 'UPDATE'] });
    expect(look('alias+actor')).toEqual(['both', caller, 'b', 'UPDATE']);
    expect(look('config')).toEqual({ config: ['config', caller, 'c', 'UPDATE'] });
    expect(look('actor', {})).toEqual({ actor: ['actor', caller, '', 'UPDATE'] });
    expect(look('alias', {})).toEqual({ alias: ['alias', caller, '', 'UPDATE'] });
    expect(look('alias+actor', {})).toEqual(['both', caller, '', 'UPDATE']);
    expect(look('config', {})).toEqual({ config: ['config', caller, '', 'UPDATE'] });
  });

  it('refuses names with separators or control characters, and callers without the role admin', () => {
    refuseUnsafeNames({ a: 'fine-name.1', b: 'ž ü' });
    for (const name of ['a/b', 'a\\b', 'a\0', '\u009f']) {
      expect(refusal(() => refuseUnsafeNames({ a: 'fine', b: name }))).toMatchObject({
        code: 'NOT_FOUND',
        message: 'There is nothing with that name. Check the path.',
      });
    }
    demandAdmin({ ...caller, roles: ['admin'] });
    expect(refusal(() => demandAdmin(caller))).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This request needs the role admin, which you do not have. Ask an admin to do it.',
    });
  });

  it('that was not evaluated is an internal error', () => {
    const [actor, alias] = [{}, {}] as never[];
    const asserted = (guard: string, context: object) => () =>
      assertAuthorized({ ...operations['actors.list'], guard } as never, resourceGuardOf(guard as never), {
        requestId: 'r',
        request: requestOf({}) as never,
        ...context,
      });
    for (const [guard, context] of [
      ['public', {}],
      ['caller', { caller }],
      ['actor:READ', { caller, actor }],
      ['alias+actor:READ', { caller, actor, alias }],
    ] as const) {
      expect(asserted(guard, context)).not.toThrow();
    }
    for (const [guard, context] of [
      ['caller', {}],
      ['owner-or-caller', {}],
      ['owner-or-admin', {}],
      ['actor:READ', { actor }],
      ['actor:READ', { caller }],
      ['alias+actor:READ', { caller, alias }],
      ['alias+actor:READ', { caller, actor }],
      ['config:READ', { caller, actor, alias }],
    ] as const) {
      expect(asserted(guard, context)).toThrow('the guard of actors.list was not evaluated');
    }
  });
});
