// Which images may be pruned: those that this program built and that nothing uses.
import { describe, expect, it } from 'vitest';
import { type BuiltImage, TEMPORARY, unusedImages } from '../../../daemon/domain/data/unused-images.ts';

const image = (changes: Partial<BuiltImage> = {}): BuiltImage => ({
  id: 'sha256:a',
  names: ['weather:dev'],
  builtAs: 'weather:dev',
  builder: 'own',
  builtAt: 1,
  bytes: 1,
  ...changes,
});
const rule = { instanceId: 'own', hasTemporary: false, used: new Set<string>(), before: 2 };
const isUnused = (changes: Partial<BuiltImage>, by: Partial<typeof rule> = {}): boolean =>
  unusedImages([image(changes)], { ...rule, ...by }).length === 1;

describe('an image is unused', () => {
  it.each([
    ['with the name that it was built under', {}],
    ['if a later build took its name', { names: [] }],
    ['with the tag that its name implies', { builtAs: 'weather', names: ['weather:latest'] }],
    ['on an engine that names every registry', { names: ['localhost/weather:dev'] }],
    [
      'with a registry and a port in its name',
      { builtAs: 'localhost:5000/weather', names: ['localhost:5000/weather:latest'] },
    ],
    ['if a temporary instance built it', { builder: TEMPORARY }],
  ])('%s', (_case, changes) => expect(isUnused(changes)).toBe(true));
});

describe('R198 an image stays', () => {
  it.each<[string, Partial<BuiltImage>, Partial<typeof rule>]>([
    ['that an actor or a container uses', {}, { used: new Set(['sha256:a']) }],
    ['that is not older than the instant', { builtAt: 2 }, {}],
    ['that another instance built', { builder: 'other' }, {}],
    ['that somebody gave another name', { names: ['weather:dev', 'registry.example.org/weather:4'] }, {}],
    ['that has its name in another registry', { names: ['quay.io/weather:dev'] }, {}],
    ['of a temporary instance while there is one', { builder: TEMPORARY }, { hasTemporary: true }],
  ])('%s', (_case, changes, by) => expect(isUnused(changes, by)).toBe(false));
});
