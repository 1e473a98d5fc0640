// The valid values of the field `image`.
import { describe, expect, it } from 'vitest';
import { imageFault, isFolderImage } from '../../../daemon/domain/actors/image-reference.ts';

const digest = `sha256:${'a1'.repeat(32)}`;

describe('an image', () => {
  for (const image of [
    'alpine',
    'alpine:3.20',
    'library/alpine',
    'tacc/word_count:1.0-rc.1',
    'a__b/c--d.e',
    'localhost:5000/x',
    'registry.example.org/team/deep/name:tag',
    `registry.example.org:443/name@${digest}`,
    `name:tag@${digest}`,
    '[::1]:5000/name',
    digest,
    'file:///srv/actors/word-count',
    'file:///srv/with%20space/ü',
    'file:///srv/.hidden/a..b/c.',
    'a'.repeat(512),
  ]) {
    it(`may be ${image.slice(0, 60)}`, () => expect(imageFault(image)).toBeUndefined());
  }

  for (const image of [
    'Alpine',
    'alpine:',
    ':tag',
    'a//b',
    '/a',
    'a/',
    'a b',
    'alpine\n',
    'alpine;reboot',
    '$(reboot)',
    '../../etc',
    'a..b',
    'a___b',
    'ünicode',
    `alpine@${digest.slice(0, 20)}`,
    `alpine:${'t'.repeat(129)}`,
    'a'.repeat(513),
    'http://x/y',
    'file://host/folder',
    'file:relative',
    'file:///',
    'file:///a/../b',
    'file:///a/%2e%2E/b',
    'file:///a/./b',
    'file:///a%2fb',
    'file:///a%00b',
    'file:///a%zz',
    'file:///a%2z',
    'file:///a?b',
    'file:///a#b',
    'file:///a\\b',
    'file:///a\nb',
    'FILE:///a',
  ]) {
    it(`must not be ${JSON.stringify(image).slice(0, 60)}`, () => expect(imageFault(image)).toMatch(/^must /));
  }

  it('R136 that looks like an option of the engine is refused', () => {
    for (const image of ['--privileged', '-v', '-v/:/host', '--', '-']) expect(imageFault(image)).toMatch(/^must /);
  });

  it('is a folder in any case of its scheme, so that no spelling bypasses the role check', () => {
    expect(isFolderImage('file:///a')).toBe(true);
    expect(isFolderImage('FiLe:///a')).toBe(true);
    expect(isFolderImage('file')).toBe(false);
    expect(isFolderImage('registry/file:1')).toBe(false);
  });

  it('R114 is validated in linear time even in the worst case', () => {
    for (const piece of ['a', 'a.', 'a-', 'a/', 'a__', 'A-', '[:']) {
      expect(imageFault(`${piece.repeat(512).slice(0, 510)}!`)).toMatch(/^must /);
    }
  });
});
