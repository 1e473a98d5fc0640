// The text of a project file: its YAML 1.2 values, and the position of each mistake.
import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/local/project/project-check.ts';
import { wholeDocument } from '../../../src/local/project/project-document.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';
import { escapeReferences, fillValues } from '../../../src/local/project/project-values.ts';

const FILE = 'actorctl.yaml';

/** Reads a file of a project with the environment. */
const read = (text: string, env: Readonly<Record<string, string>> = {}, file = FILE) => {
  const parsed = parseProjectText(file, text);
  return checkDocument(wholeDocument, parsed, fillValues(parsed, env));
};

/** The message and the hint of the refusal. */
const refusal = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    const { message, extras } = error as { message: string; extras?: { hint?: string } };
    return [message, extras?.hint].filter(Boolean).join(' | ');
  }
  return 'no refusal';
};

/** Anchors that each reference the previous one ten times. */
const bomb = (levels: number): string =>
  [
    'project: p',
    'configs:',
    '  a:',
    '    value:',
    '      l0: &l0 x',
    ...Array.from(
      { length: levels },
      (_, level) =>
        `      l${level + 1}: &l${level + 1} [${Array.from({ length: 10 }, () => `*l${level}`).join(', ')}]`,
    ),
  ].join('\n');

const refused: readonly (readonly [name: string, text: string, message: string])[] = [
  ['an unknown field', 'project: p\nactrs: {}\n', 'actorctl.yaml:2:1: no field named "actrs" | did you mean "actors"?'],
  [
    'an unknown field of an actor',
    'project: p\nactors:\n  hook:\n    image: a\n    memry: 64m\n',
    'actorctl.yaml:5:5: no field named "actors.hook.memry" | did you mean "memory"?',
  ],
  [
    'an unknown field of a schedule',
    'project: p\nactors:\n  hook:\n    cron: { schedule: "@hourly", timezone: UTC }\n',
    'actorctl.yaml:4:34: no field named "actors.hook.cron.timezone" | did you mean "time_zone"?',
  ],
  [
    'a text for the fields of a build',
    'project: p\nactors:\n  hook:\n    build: alert\n',
    'actorctl.yaml:4:12: actors.hook.build must be a mapping of fields, not a text | write build: {context: alert}',
  ],
  [
    'a value for a config',
    'project: p\nconfigs: { limit: 5 }\n',
    'actorctl.yaml:2:19: configs.limit must be a mapping of fields, not a number | write limit: {value: 5}',
  ],
  [
    'a list of variables',
    'project: p\nactors:\n  hook:\n    env: [LOG=debug]\n',
    'actorctl.yaml:4:10: actors.hook.env must be a mapping of names, not a list | write env: {NAME: VALUE}',
  ],
  [
    'a text for a list',
    'project: p\nactors:\n  hook:\n    hints: web\n',
    'actorctl.yaml:4:12: actors.hook.hints must be a list, not a text | write hints: [web]',
  ],
  ['no project', 'actors: {}\n', 'actorctl.yaml:1:1: "project" is missing'],
  [
    'infinity in a state',
    'project: p\nactors:\n  hook:\n    image: a\n    state: { n: 1, list: [.inf] }\n',
    'actorctl.yaml:5:27: .inf is not a number in JSON | write a text, a number or null',
  ],
  [
    'a value of a config that is not a number',
    'project: p\nconfigs:\n  c:\n    value: .NaN\n',
    'actorctl.yaml:4:12: .NaN is not a number in JSON | write a text, a number or null',
  ],
  [
    'a number for a text',
    'project: p\nactors:\n  hook:\n    env: { VERSION: 1.10 }\n',
    'actorctl.yaml:4:21: actors.hook.env.VERSION must be a text, not a number | write it in quotes: "1.10"',
  ],
  [
    'a word that YAML 1.1 reads as a boolean',
    'project: p\nactors:\n  hook:\n    stateless: no\n',
    'actorctl.yaml:4:16: actors.hook.stateless must be true or false, not a text | "no" is a text in YAML 1.2: write false',
  ],
  [
    'a level that does not exist',
    'project: p\nactors:\n  hook:\n    permissions: { ana: REED }\n',
    'actorctl.yaml:4:25: actors.hook.permissions.ana must be one of NONE, READ, EXECUTE, UPDATE | did you mean "READ"?',
  ],
  [
    'a limit below its minimum',
    'project: p\nactors:\n  hook:\n    workers: 0\n',
    'actorctl.yaml:4:14: actors.hook.workers must be at least 1',
  ],
  [
    'a tab as indentation',
    'project: p\nactors:\n\thook: {}\n',
    'actorctl.yaml:3:1: a tab indents this line | indent YAML with spaces',
  ],
  [
    'a key that is there twice',
    'project: p\nactors:\n  hook: ./a\n  hook: ./b\n',
    'actorctl.yaml:4:3: this key appears twice | remove one of the two',
  ],
  [
    'two documents',
    'project: p\n---\nproject: q\n',
    'actorctl.yaml:2:1: the file contains several documents | put all of the project into one document, without ---',
  ],
  ['a tag', 'project: !!js/function p\n', 'actorctl.yaml:1:10: tags (!name) are not allowed | write the plain value'],
  [
    'another version of YAML',
    '%YAML 1.1\n---\nproject: p\n',
    'actorctl.yaml:1:1: the file is YAML 1.1 | remove the line %YAML: the file is YAML 1.2',
  ],
  [
    'a merge key',
    'project: p\nconfigs:\n  a: &a { value: 1 }\n  b:\n    <<: *a\n',
    'actorctl.yaml:5:5: merge keys (<<) are not YAML 1.2 | write the fields out',
  ],
  [
    'the prototype of objects',
    'project: p\nactors:\n  __proto__: { image: a }\n',
    'actorctl.yaml:3:3: nothing may be named "__proto__"',
  ],
  [
    'anchors to ten thousand copies',
    bomb(4),
    'actorctl.yaml: the anchors of the file expand to more than 100 copies, or one refers to itself | write the values out',
  ],
  [
    'an anchor that is named often',
    `project: p\nconfigs:\n  a:\n    value: [&x y${', *x'.repeat(101)}]\n`,
    'actorctl.yaml:4:419: more than 100 references to anchors | write the values out',
  ],
  [
    'an anchor that names itself',
    'project: p\nconfigs:\n  a: { value: &x [*x] }\n',
    'actorctl.yaml: lists and mappings are nested more than 60 levels deep',
  ],
  [
    'an anchor that names itself twice',
    'project: p\nconfigs:\n  a: { value: &x [*x, *x] }\n',
    'actorctl.yaml: lists and mappings are nested more than 60 levels deep',
  ],
  [
    'lists without end',
    `project: p\nconfigs: ${'['.repeat(100_000)}`,
    'actorctl.yaml: lists and mappings are nested more than 60 levels deep',
  ],
  [
    'items in items without end',
    `project: p\nconfigs: ${'- '.repeat(100_000)}`,
    'actorctl.yaml: lists and mappings are nested more than 60 levels deep',
  ],
  [
    'a variable that is not set',
    'project: ${NAME}\n',
    'actorctl.yaml:1:10: no variable named "NAME" | set it, or write ${NAME:-default}',
  ],
  [
    'a reference that is not closed',
    'project: a${NAME\n',
    'actorctl.yaml:1:10: "${NAME" is not a reference to a variable | write ${NAME} or ${NAME:-default}, and $${ for ${',
  ],
  [
    'a credential of actorctl (R185)',
    'project: ${ACTORCTL_TOKEN:-x}\n',
    'actorctl.yaml:1:10: "ACTORCTL_TOKEN" belongs to actorctl and cannot be used in a project',
  ],
];

describe('the text of a project file', () => {
  it.each(refused)('with %s is refused with its place and what to do', (_name, text, message) => {
    expect(refusal(() => read(text, { ACTORCTL_TOKEN: 'secret' }))).toBe(message);
  });

  it('keeps text that YAML 1.1 would turn into booleans, dates or numbers of another base', () => {
    const text =
      'project: p\nconfigs:\n  c:\n    value: { a: no, b: 2026-01-01, c: 012, d: 1:30, e: ~, f: yes, g: 0o14 }\n';
    expect(read(text).configs?.['c']?.value).toEqual({
      a: 'no',
      b: '2026-01-01',
      c: 12,
      d: '1:30',
      e: null,
      f: 'yes',
      g: 12,
    });
  });

  it('gets values from variables, with a default, and keeps an escaped reference', () => {
    const text =
      "project: ${NAME:-none}\nactors:\n  a: { image: 'x${TAG}', description: 'costs $5 $${TAG}' }\nconfigs:\n  c: { json: '\"${TAG}\"' }\n";
    expect(read(text, { TAG: ':1', NAME: '' })).toEqual({
      project: 'none',
      actors: { a: { image: 'x:1', description: 'costs $5 ${TAG}' } },
      configs: { c: { json: '"${TAG}"' } },
    });
  });

  it.each(['plain', '${A}', '$${A}', '$$${', '$', 'a$b ${'])('reads %j back from its escaped form', (text) => {
    expect(
      read(`project: p\nactors:\n  a: { image: x, description: ${JSON.stringify(escapeReferences(text))} }\n`),
    ).toMatchObject({
      actors: { a: { description: text } },
    });
  });

  it('may be JSON, even with tabs, and names the place of a mistake in it', () => {
    expect(read('{\n\t"project": "p",\n\t"actors": {"a": {"image": "x"}}\n}', {}, 'actorctl.json').actors).toEqual({
      a: { image: 'x' },
    });
    expect(refusal(() => read('{\n\t"project": "p",\n\t"actors": {"a": {"imag": "x"}}\n}', {}, 'actorctl.json'))).toBe(
      'actorctl.json:3:19: no field named "actors.a.imag" | did you mean "image"?',
    );
    expect(refusal(() => read('{\n  "project": "p",\n  "actors": {},\n}', {}, 'actorctl.json'))).toBe(
      'actorctl.json:4:1: the file is not JSON',
    );
    expect(refusal(() => read('{"project": "p", "project": "q"}', {}, 'actorctl.json'))).toContain(
      'this key appears twice',
    );
  });
});

// A parser that compares each key with all others does not end within the time limit of the suite.
it('a mapping of a hundred thousand keys is parsed, with the position of each key', () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}`);
  const text = parseProjectText('actorctl.yaml', `${keys.join(': 1\n')}: 1\n`);
  expect(Object.keys(text.value as object)).toHaveLength(keys.length);
  expect(keys.filter((key, index) => text.atKey([key]) !== `actorctl.yaml:${index + 1}:1`)).toEqual([]);
});
