// The numbers of a project file: digits that a double would change are kept in data and dropped elsewhere.
import { describe, expect, it } from 'vitest';
import { exactText } from '../../../src/contract/exact-json.ts';
import { checkDocument } from '../../../src/local/project/project-check.ts';
import { wholeDocument } from '../../../src/local/project/project-document.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';
import { fillValues } from '../../../src/local/project/project-values.ts';

const read = (text: string, file = 'actorctl.yaml') => {
  const parsed = parseProjectText(file, text);
  return checkDocument(wholeDocument, parsed, fillValues(parsed, {}));
};

describe('the numbers of a project file', () => {
  const numbers = '[12345678901234567890, 1.0, 1.50, 1e400, -0, 7, 0.1]';
  const files = [
    [
      'actorctl.yaml',
      `project: p\nactors: { a: { image: x, state: { n: ${numbers} } } }\nconfigs: { c: { value: ${numbers} } }\n`,
    ],
    [
      'actorctl.json',
      `{"project":"p","actors":{"a":{"image":"x","state":{"n":${numbers}}}},"configs":{"c":{"value":${numbers}}}}`,
    ],
  ] as const;
  it.each(files)('keep their digits in a state and in a config of %s', (file, text) => {
    const { actors, configs } = read(text, file);
    const digits = numbers.replaceAll(' ', '');
    expect(exactText({ actors, configs })).toBe(
      `{"actors":{"a":{"image":"x","state":{"n":${digits}}}},"configs":{"c":{"value":${digits}}}}`,
    );
  });

  it('become JSON numbers if only YAML has the notation', () => {
    const { configs } = read(
      'project: p\nconfigs: { c: { value: [0xffffffffffffffff, 0o17, +1.50, -.5, 2., 1.e5, 007] } }\n',
    );
    expect(exactText(configs?.['c']?.value)).toBe('[18446744073709551615,15,1.50,-0.5,2,1e5,7]');
  });

  it('keep their digits behind an anchor', () => {
    const { configs } = read('project: p\nconfigs: { c: { value: &v [9007199254740993] }, d: { value: *v } }\n');
    expect(exactText(configs?.['d']?.value)).toBe('[9007199254740993]');
  });

  it('are plain numbers in the fields of an actor', () => {
    const { actors } = read('project: p\nactors: { a: { image: x, cpus: 2.0, workers: 1e1 } }\n');
    expect(actors).toEqual({ a: { image: 'x', cpus: 2, workers: 10 } });
  });
});
