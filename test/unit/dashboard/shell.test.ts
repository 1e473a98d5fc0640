// Addresses and keys of the dashboard.
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../../daemon/web/dashboard/api/routes.ts';
import { actionOf } from '../../../daemon/web/dashboard/shell/keys.ts';
import { hashOf, placeOf } from '../../../daemon/web/dashboard/shell/place.ts';

describe('the address of a view', () => {
  it.each([
    [[], {}],
    [['actors'], { q: 'a b&c=d#?/#L7' }],
    [['executions', 'abc'], { q: 'x', line: '120' }],
    [['actors', '<img onerror>/../x?y#z'], { tab: 'state' }],
  ])('leads back to the view: %j %j', (path, query) => {
    expect(placeOf(hashOf(path, query))).toEqual({ path, query });
  });

  it('names the line of a log', () => {
    expect(hashOf(['executions', 'abc'], { line: '120' })).toBe('#/executions/abc#L120');
  });

  it('leaves empty filters out', () => {
    expect(hashOf(['executions'], { status: '', q: undefined })).toBe('#/executions');
  });

  it.each(['', '#', '#/', '#//'])('is the overview without a path: "%s"', (hash) => {
    expect(placeOf(hash)).toEqual({ path: [], query: {} });
  });

  it('with a broken escape is read as it is', () => {
    expect(placeOf('#/actors/%E0%A4%A').path).toEqual(['actors', '%E0%A4%A']);
  });
});

describe('the address of a request', () => {
  it('keeps a name within its segment', () => {
    expect(addressOf('GET /actors/v2/:actorId/links', { actorId: '../a?b#c' }, { limit: 5, after: undefined })).toBe(
      '/actors/v2/..%2Fa%3Fb%23c/links?limit=5',
    );
  });
});

describe('a key', () => {
  it.each([
    ['/', false, { kind: 'search' }],
    ['?', false, { kind: 'help' }],
    ['g', false, { kind: 'begin' }],
    ['a', true, { kind: 'go', letter: 'a' }],
    ['j', false, { kind: 'move', by: 1 }],
    ['k', false, { kind: 'move', by: -1 }],
    ['x', false, { kind: 'select' }],
    ['a', false, { kind: 'actions' }],
    ['b', false, undefined],
    ['Escape', true, undefined],
  ] as const)('%s (after g: %s) does %j', (key, waiting, action) => {
    expect(actionOf(key, waiting)).toEqual(action);
  });
});
