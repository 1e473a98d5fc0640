// The JSON schema for editors: it accepts and refuses what the program does.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { anyDocument } from '../../../src/local/project/project-document.ts';
import { schema } from '../../../src/local/project/project-schema.ts';

const validate = new Ajv({ strict: false }).compile(schema);

const documents: readonly (readonly [valid: boolean, document: unknown])[] = [
  [true, { project: 'p' }],
  [true, { $schema: './actorctl.schema.json', project: 'p', actors: { a: './a', b: { image: 'x', cron: '@daily' } } }],
  [true, { project: 'p', actors: { a: { image: 'x', cron: { schedule: '@daily', on: false }, state: { n: [1] } } } }],
  [
    true,
    {
      project: 'p',
      aliases: { x: 'a', y: { actor: 'a', permissions: { ana: 'READ' } } },
      configs: { c: { value: null } },
    },
  ],
  [true, { name: 'hello', alias: 'hello', image: 'hello:1', build: { context: '.' }, context: 'cloud' }],
  [true, {}],
  [false, { project: 'a b' }],
  [false, { project: 'p', actors: { a: { imag: 'x' } } }],
  [false, { project: 'p', actors: { a: { image: 'x', context: 'cloud' } } }],
  [false, { project: 'p', actors: { a: { image: 'x', workers: 0 } } }],
  [false, { project: 'p', actors: { a: { image: 'x', permissions: { ana: 'ALL' } } } }],
  [false, { project: 'p', configs: { c: 1 } }],
  [false, { image: 7 }],
  [false, []],
];

describe('the JSON schema of project files', () => {
  it.each(documents)('gives %j for %j, like the program', (valid, document) => {
    expect([validate(document), anyDocument.safeParse(document).success]).toEqual([valid, valid]);
  });

  it('is the file that the build writes', () => {
    const built: unknown = JSON.parse(
      readFileSync(new URL('../../../dist/actorctl.schema.json', import.meta.url), 'utf8'),
    );
    expect(built).toEqual(schema);
  });

  it('describes the fields', () => {
    const texts = JSON.stringify(schema).match(/"description":"[^"]+"/g) ?? [];
    expect(texts.length).toBeGreaterThan(30);
  });
});
