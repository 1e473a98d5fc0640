// The check of the build for text that a page would show wrong.
import { describe, expect, it } from 'vitest';

type Check = (options: unknown, bundle: Record<string, unknown>) => void;
const config: { utf8Text: { generateBundle: Check } } = await import(
  new URL('../../../rolldown.config.mjs', import.meta.url).href
);

const build = (code: string, source: string | Uint8Array = ''): void =>
  config.utf8Text.generateBundle(undefined, {
    a: { type: 'chunk', fileName: 'a.cjs', code },
    b: { type: 'asset', fileName: 'b.html', source },
  });

describe('the build', () => {
  it('accepts text outside of ASCII that is UTF-8', () => {
    expect(() => build('Log in · actorctl', '→ “é” Âge, Ã')).not.toThrow();
  });

  it.each(['·', 'é', '→', '…', '😀'])('refuses "%s" that was read as Latin-1', (text) => {
    const wrong = Buffer.from(text).toString('latin1');
    expect(() => build(`const title = 'a ${wrong} b';`)).toThrow(/a\.cjs contains text of another encoding: .*title/);
    expect(() => build('', wrong)).toThrow(/b\.html/);
  });

  it('refuses an asset whose bytes are not UTF-8', () => {
    expect(() => build('', Buffer.from('a · b', 'latin1'))).toThrow(/b\.html/);
  });
});
