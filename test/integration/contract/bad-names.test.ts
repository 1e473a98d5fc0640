// Impossible names in every path parameter and every field that holds a name. Both lists are generated from the
// contract.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameKey } from '../../../daemon/domain/records/resource-records.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { all, type NamesFixture, places, startNamesFixture } from '../../support/contract/bad-names.ts';
import type { Answer } from '../../support/service/call.ts';
import { statusOf } from '../../support/service/platform.ts';
import { rawRequest } from '../../support/service/raw-request.ts';

// Each test sends hundreds of requests, and the machine may be busy.
let fixture: NamesFixture;
let other: Awaited<ReturnType<typeof startNamesFixture>>['other'];
const inherited = Object.getOwnPropertyNames(Object.prototype);
beforeAll(async () => {
  ({ fixture, other } = await startNamesFixture());
});
afterAll(async () => {
  expect(fixture.service.complaints).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
  await fixture.service.close();
});

const everyByte = (name: string): string =>
  [...Buffer.from(name)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const segments: readonly (readonly [what: string, segment: string])[] = [
  ['nothing', ''],
  ['a dot', '.'],
  ['two dots', '..'],
  ['two dots, encoded', '%2e%2e'],
  ['a slash', '%2F'],
  ['a path to a parent folder', '..%2F..%2F..%2Fetc%2Fpasswd'],
  ['a path to a parent folder with backslashes', '..%5C..%5Cx'],
  ['__proto__', '__proto__'],
  ['__proto__, every byte encoded', everyByte('__proto__')],
  ['constructor', 'constructor'],
  ['prototype', 'prototype'],
  ['toString', 'toString'],
  ['12 000 letters', 'x'.repeat(12_000)],
  ['an emoji', encodeURIComponent('😀')],
  ['a text direction mark', encodeURIComponent('\u202eabc')],
  ['letters from right to left', encodeURIComponent('שלום')],
  ['NUL', '%00'],
  ['a bell', 'a%07'],
  ['a line break', 'a%0D%0Ab'],
  ['DEL', '%7F'],
  ['a control character of Latin-1', '%C2%85'],
  ['a lone percent sign', '%'],
  ['a percent sign without digits', '%zz'],
  ['bytes that are not UTF-8', '%FF%FE'],
  ['an overlong encoding of a dot', '%C0%AE'],
  ['a name encoded twice', '%2561%256c%2570'],
  ['a space', '%20'],
  ['a star', '*'],
  ['a query string', '%3Fa%3Db'],
  ['the reserved word search', 'search'],
  ['the reserved word aliases', 'aliases'],
  ['the reserved word permissions', 'permissions'],
  ['an unknown id', 'Nobody0000000'],
];

const parts = (path: string) => path.split('/').filter((part) => part !== '');
const patterns = all.map(({ path }) => ({ path, wanted: parts(path) }));

/**
 * Whether a path with this value matches another operation: one with a fixed segment in place of the parameter, or a
 * shorter one.
 */
const meansOther = (operation: Operation, path: string): boolean => {
  const given = parts(path);
  const own = parts(operation.path);
  return patterns.some(
    ({ path: pattern, wanted }) =>
      pattern !== operation.path &&
      wanted.length === given.length &&
      wanted.every((part, at) => part.startsWith(':') || part === given[at]) &&
      (wanted.length < own.length || own.some((p, at) => p.startsWith(':') && !wanted[at]?.startsWith(':'))),
  );
};

/**
 * Whether the response is a permission check of an unknown user. Any user name is allowed there, and the result is that
 * the user has no permission.
 */
const isNobody = ({ status, result }: Answer, { id }: Operation): boolean =>
  id.endsWith('permissions.can') && status === 200 && result['allowed'] === false;

describe('R131 in any path parameter', () => {
  it.each(segments)('%s is not found and changes nothing', async (_, segment) => {
    const before = fixture.changes();
    for (const { operation, parameter } of places) {
      const path = fixture.pathOf(operation, { [parameter]: segment });
      const answer = await fixture.ask(operation, path);
      const what = `${operation.id} :${parameter} ${answer.status} ${answer.text.slice(0, 200)}`;
      if (meansOther(operation, path)) expect(answer.status, what).toBeLessThan(500);
      else if (!isNobody(answer, operation)) expect([400, 404], what).toContain(answer.status);
    }
    expect(fixture.changes()).toEqual(before);
  });

  it('a name of a megabyte exceeds the limit, and the next request works', async () => {
    const text = await rawRequest(
      fixture.service.baseUrl,
      `GET /actors/v2/${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    );
    expect(statusOf(text)).toBe(431);
    expect((await fixture.service.ask('ana', 'GET', '/actors/v2')).status).toBe(200);
  });

  it('R123 a name of another tenant is not found and changes nothing', async () => {
    const before = fixture.changes();
    const foreign: Readonly<Record<string, string>> = { ...other, nonceId: other.actorNonce };
    for (const { operation, parameter } of places) {
      const name = foreign[parameter];
      if (name === undefined) continue;
      const answer = await fixture.ask(operation, fixture.pathOf(operation, { [parameter]: name }));
      expect(answer.status, `${operation.id} :${parameter} ${answer.text}`).toBe(404);
    }
    const nonce = all.filter(({ path }) => path.includes(':nonceId') && path.includes(':alias'));
    for (const operation of nonce) {
      expect((await fixture.ask(operation, fixture.pathOf(operation, { nonceId: other.aliasNonce }))).status).toBe(404);
    }
    expect(fixture.changes()).toEqual(before);
  });

  it('a known name with every byte encoded is found', async () => {
    const looks = all.filter(
      ({ method, path, answer }) => method === 'GET' && path.includes(':') && answer === 'envelope',
    );
    expect(looks.length).toBeGreaterThan(15);
    for (const operation of looks) {
      const encoded = Object.fromEntries(
        places
          .filter((place) => place.operation === operation)
          .map(({ parameter }) => [parameter, everyByte(fixture.nameOf(operation, parameter))]),
      );
      const plain = await fixture.ask(operation, fixture.pathOf(operation));
      const same = await fixture.ask(operation, fixture.pathOf(operation, encoded));
      expect([operation.id, same.status, same.text]).toEqual([operation.id, plain.status, plain.text]);
    }
  });
});

const NAME_FIELDS = [
  'name',
  'id',
  'alias',
  'actorId',
  'ifActorId',
  'actors',
  'link',
  'clientName',
  'username',
  'user',
  'tenant',
];
const fields = all.flatMap((operation) => {
  const shape = 'shape' in operation.input ? Object(operation.input.shape) : {};
  return /json/.test(operation.body)
    ? NAME_FIELDS.filter((field) => Object.hasOwn(shape, field)).map((field) => ({ operation, field }))
    : [];
});

const values: readonly (readonly [what: string, value: unknown])[] = [
  ['nothing', ''],
  ['a space', ' '],
  ['a dot', '.'],
  ['two dots', '..'],
  ['a path to a parent folder', '../../etc/passwd'],
  ['a path to a parent folder with backslashes', '..\\..\\x'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['prototype', 'prototype'],
  ['a megabyte', 'x'.repeat(1_000_000)],
  ['an emoji', '😀'],
  ['a text direction mark', '\u202eabc'],
  ['NUL', 'a\0b'],
  ['a bell', 'a\u0007'],
  ['a line break', 'a\r\nb'],
  ['half a character', 'a\ud800'],
  ['a name with every byte encoded', everyByte('alias-of-admin')],
  ['a reserved word', 'search'],
  ['the pseudo-user in another letter case', 'Abaco_World'],
  ['a number', 7],
  ['null', null],
  ['a list', ['a', 'b']],
  ['an object', { __proto__: null, a: 1 }],
];

describe('R131 in any field that holds a name', () => {
  it('covers more than 20 fields of the contract', () => {
    expect(fields.length).toBeGreaterThan(20);
  });

  const send = async (operation: Operation, field: string, value: unknown): Promise<void> => {
    const body = { ...fixture.bodyOf(operation), [field]: value };
    const before = fixture.changes();
    const answer = await fixture.ask(operation, fixture.pathOf(operation), { json: body });
    const what = `${operation.id} ${field} ${answer.status} ${answer.text.slice(0, 300)}`;
    if (answer.status === 200) {
      // An accepted value must be returned exactly, or be a key of a returned map. An empty value counts as none.
      if (value === null || value === '') return;
      // An alias that an earlier request created is accepted in place of the id of its actor.
      const { actorId } = fixture.service.store.get('aliases', nameKey('DEV', String(value))) ?? { actorId: value };
      const isUsed =
        Object.values(answer.result).includes(value) ||
        Object.hasOwn(answer.result, String(value)) ||
        (/^(ifA|a)ctorId$/.test(field) && answer.result['actorId'] === actorId);
      expect(isUsed, what).toBe(true);
      return;
    }
    expect([400, 403, 404, 409], what).toContain(answer.status);
    expect(fixture.changes(), what).toEqual(before);
  };

  it.each(values)('%s is refused and changes nothing, or is accepted exactly as it is', async (_, value) => {
    for (const { operation, field } of fields) await send(operation, field, value);
  });

  it('R123 a name of another tenant is refused and changes nothing', async () => {
    for (const { operation, field } of fields) {
      if (!['actorId', 'ifActorId', 'actors', 'link'].includes(field)) continue;
      for (const name of [other.actorId, other.alias]) {
        const before = fixture.changes();
        const json = { ...fixture.bodyOf(operation), [field]: name };
        const answer = await fixture.ask(operation, fixture.pathOf(operation), { json });
        expect([400, 404, 409], `${operation.id} ${field} ${answer.text}`).toContain(answer.status);
        expect(fixture.changes()).toEqual(before);
      }
    }
  });
});
