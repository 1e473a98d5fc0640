// Texts of any characters, including lone surrogates and control characters.
import fc from 'fast-check';

/**
 * Any text, of at most `maxLength` code points. The unit `binary` of fast-check gives such texts as well, but it takes a
 * second of processor time before its first one, in every test file that uses it.
 */
export const anyText = (limit: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string(limit),
    fc.array(fc.integer({ min: 0, max: 0x10ffff }), limit).map((points) => String.fromCodePoint(...points)),
  );
