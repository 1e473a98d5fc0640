// Commands whose output for people is not a table: `--template`, `-o yaml` and `-q` decide about it as for any other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/contract/exact-json.ts';
import { type Json, jsonText, toJson } from '../../../../src/ui/format/json.ts';
import { writeYaml } from '../../../../src/ui/format/yaml.ts';
import { type SharedHome, sharedHome } from '../../../support/commands/shared-home.ts';
import { shellActor } from '../../../support/daemon/shell-actor.ts';

let home: SharedHome;
let ids: readonly string[];

beforeAll(async () => {
  home = await sharedHome();
  const image = shellActor(home.folder);
  const create = async (...more: string[]) =>
    (await home.json<{ id: string }>('actors', 'create', image, '--wait', ...more)).id;
  const two = await create('--name', 'two');
  ids = [await create('--name', 'one', '--link', two), two];
  await home.json('configs', 'create', 'db', '--value', '{"text":"a\u2028b","size":12345678901234567890}');
  await home.json('run', 'one', '-m', 'steps');
});
afterAll(() => home.remove());

const printed = async (line: string, ...flags: string[]) => {
  const { code, stdout, stderr } = await home.cli([...line.split(' '), ...flags]);
  expect(code, stderr).toBe(0);
  return stdout;
};

describe('the output in the requested format', () => {
  it.each([
    ['links graph', '{{nodes}}'],
    ['links graph one', '{{edges}}'],
    ['actors check one --no-run', '{{ok}} {{image}}'],
    ['configs export db', '{{configs}}'],
    ['docs cli', '{{topic}}'],
    ['export --all --project p', '{{project}}'],
    ['api profiles/v2/me', '{{status}}'],
  ])('of %s is a template, YAML or JSON', async (line, template) => {
    const value = parseExact(await printed(line, '--json')) as Record<string, Json>;
    const expected = template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const field = value[name] ?? '';
      // A template writes a line separator as the escape of JSON.
      return typeof field === 'object' ? jsonText(field).replace('\u2028', '\\u2028') : String(field);
    });
    expect(await printed(line, '--template', template)).toBe(`${expected}\n`);
    expect(await printed(line, '-o', 'yaml')).toBe(`${writeYaml(toJson(value))}\n`);
    expect(await printed(line, '--jq', 'keys | length')).toBe(`${Object.keys(value).length}\n`);
  });

  it('of configs export keeps large numbers and every character', async () => {
    const number = '12345678901234567890';
    expect(await printed('configs export db')).toContain(number);
    const asked = await printed('configs export db', '--json');
    expect(asked).toContain(number);
    expect(JSON.parse(asked)).toEqual(JSON.parse(await printed('configs export db')));
  });

  it('of a log has one output line per log line', async () => {
    expect(await printed('logs one@last', '--template', '{{stream}}: {{line}}')).toBe(
      'stdout: step 1\nstdout: step 2\nstdout: step 3\n',
    );
    expect(await home.cli(['logs', 'one@last', '--template', '{{nope}}'])).toMatchObject({ code: 2, stdout: '' });
    expect(await printed('logs one@last', '--fields', 'help')).toBe('execution_id\ntime\nstream\nline\ncursor\n');
  });

  it('of run is printed once, at the end', async () => {
    expect(await printed('run one -m hello', '--template', '{{exit_code}} {{logs}}')).toMatch(
      /^0 (?:.*\n)*?got: hello\n/,
    );
    const refused = await home.cli(['run', 'one', '-m', 'hello', '--template', '{{line}}']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    const several = await printed('run one -m hello --repeat 2 --no-logs', '--template', '{{status}}');
    expect(several).toBe('COMPLETE\nCOMPLETE\n');
    const args = ['run', 'one', '--each-line', '--timeout', '4s', '--template', '{{status}}'];
    const stopped = await home.cli(args, { input: 'a\nhang\n' });
    expect(stopped).toMatchObject({ code: 8, stdout: 'COMPLETE\n' });
    expect(stopped.stderr).toContain('1 of 2 runs ended, then: ');
  });

  it('of state diff for two equal states is an empty list', async () => {
    await home.json('actors', 'create', shellActor(home.folder), '--name', 'counter', '--stateful');
    await home.json('state', 'set', 'counter', '--value', '{"a":1}');
    expect(await printed('state diff counter --from v1 --to v1', '-o', 'yaml')).toBe('[]\n');
    expect(await printed('state diff counter --from v1 --to v1')).toBe('');
  });

  it('with -q consists of ids, or is empty if the command has none', async () => {
    expect((await printed('links graph', '-q')).trim().split('\n').toSorted()).toEqual(ids.toSorted());
    expect(await printed('actors check one --no-run', '-q')).toBe('');
  });

  it('cannot be combined with a chart', async () => {
    for (const format of [['-o', 'yaml'], ['--template', '{{nodes}}'], ['--json']])
      expect(await home.cli(['links', 'graph', '--format', 'dot', ...format])).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(await printed('links graph --format json'))).toHaveProperty('nodes');
  });

  it('of a new actor shows its state after --wait', async () => {
    const create = [
      'actors',
      'create',
      shellActor(home.folder),
      '--name',
      'three',
      '--template',
      '{{status}}',
      '--wait',
    ];
    expect((await home.cli(create)).stdout).toBe('READY\n');
  });
});
