// The environment variables of one execution.
import { describe, expect, it } from 'vitest';
import { type EnvironmentInput, environmentOf, fitsVariable } from '../../../daemon/domain/actors/environment.ts';

const input = (over: Partial<EnvironmentInput> = {}): EnvironmentInput => ({
  actor: { id: 'A1', tenant: 'DEV', name: 'count', environment: {} },
  message: {
    executionId: 'E1',
    contentType: 'str',
    variables: {},
    executor: 'ana',
    actorRevision: 3,
    bodyFile: null,
  },
  body: { text: 'hi' },
  state: '{}',
  configs: '{}',
  worker: { id: 'W1', image: 'alpine' },
  ...over,
});

const withActor = (over: Partial<EnvironmentInput['actor']>, rest: Partial<EnvironmentInput> = {}) =>
  input({ actor: { ...input().actor, ...over }, ...rest });
const withVariables = (variables: Readonly<Record<string, string>>, rest: Partial<EnvironmentInput> = {}) =>
  input({ ...rest, message: { ...input().message, variables } });

describe('the environment of an execution', () => {
  it('holds exactly the context, the message and PYTHONUNBUFFERED by default', () => {
    expect(environmentOf(input())).toEqual({
      files: [],
      variables: {
        PYTHONUNBUFFERED: '1',
        _svc_username: 'ana',
        _svc_execution_id: 'E1',
        _svc_Content_Type: 'str',
        _svc_actor_revision: '3',
        _svc_actor_dbid: 'DEV_A1',
        _svc_actor_id: 'A1',
        _svc_worker_id: 'W1',
        _svc_container_repo: 'alpine',
        _svc_actor_state: '{}',
        _svc_actor_name: 'count',
        _actor_configs: '{}',
        MSG: 'hi',
      },
    });
  });

  it('of a scheduled run holds its scheduled time, and no sender', () => {
    const cron = { scheduledAt: Date.UTC(2026, 10, 21, 15), missed: 4 };
    const { variables } = environmentOf(input({ message: { ...input().message, executor: 'cron', cron } }));
    expect(variables).toMatchObject({
      _svc_cron_scheduled_time: '2026-11-21T15:00:00.000Z',
      _svc_cron_missed: '4',
    });
    expect(variables).not.toHaveProperty('_svc_username');
  });

  const wins: [string, EnvironmentInput, string, string | undefined][] = [
    [
      'the value of the actor instead of the default',
      withActor({ environment: { PYTHONUNBUFFERED: '0' } }),
      'PYTHONUNBUFFERED',
      '0',
    ],
    [
      "the value of the query instead of the actor's",
      withVariables({ X: 'query' }, { actor: { ...input().actor, environment: { X: 'actor' } } }),
      'X',
      'query',
    ],
    [
      "the value of the context instead of the query's",
      withVariables({ _svc_actor_id: 'forged' }),
      '_svc_actor_id',
      'A1',
    ],
    ["the value of the message instead of the actor's", withActor({ environment: { MSG: 'forged' } }), 'MSG', 'hi'],
    ['an empty value instead of the default', withVariables({ EMPTY: '' }), 'EMPTY', ''],
    ['None as the name of an actor without a name', withActor({ name: '' }), '_svc_actor_name', 'None'],
    ['the address of the API if there is one', input({ apiServer: 'http://x' }), '_svc_api_server', 'http://x'],
    ['no address of the API if a run cannot reach it', input(), '_svc_api_server', undefined],
    ['the token if there is one', input({ accessToken: 't' }), '_svc_access_token', 't'],
    ['no token if there is none', input(), '_svc_access_token', undefined],
    ['the state exactly as written', input({ state: '{"a": 1e400,"a":2}' }), '_svc_actor_state', '{"a": 1e400,"a":2}'],
  ];
  it.each(wins)('contains %s', (_name, given, variable, value) => {
    expect(environmentOf(given).variables[variable]).toBe(value);
  });

  it('R125 treats __proto__ as an ordinary name', () => {
    const variables = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const { variables: made } = environmentOf(withVariables(variables));
    expect(Object.getOwnPropertyDescriptor(made, '__proto__')?.value).toBe('x');
    expect(made['constructor']).toBe('y');
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });

  it('has a binary message as a file, and no MSG', () => {
    const { message } = input();
    const binary = input({
      actor: { ...input().actor, environment: { MSG: 'forged', _svc_binary_data_FILE: 'forged' } },
      message: { ...message, contentType: 'application/octet-stream' },
      body: { file: '/bodies/1' },
    });
    const { variables, files } = environmentOf(binary);
    expect(files).toEqual([
      { path: '/_svc_binary_data', variable: '_svc_binary_data_FILE', source: { file: '/bodies/1' } },
    ]);
    expect(variables).not.toHaveProperty('MSG');
    expect(variables).not.toHaveProperty('_svc_binary_data_FILE');
  });

  it('has a binary message that is stored as text as the bytes of the text', () => {
    const message = { ...input().message, contentType: 'application/octet-stream' as const };
    const { files } = environmentOf(input({ message, body: { text: 'ü' } }));
    expect(files).toMatchObject([{ source: { bytes: new Uint8Array([0xc3, 0xbc]) } }]);
  });

  it('has a text stored in a file as MSG_FILE', () => {
    const { variables, files } = environmentOf(input({ body: { file: '/bodies/2' } }));
    expect(files).toEqual([{ path: '/_svc_msg', variable: 'MSG_FILE', source: { file: '/bodies/2' } }]);
    expect(variables).not.toHaveProperty('MSG');
  });

  const legacy = (over: Partial<EnvironmentInput> = {}) => withActor({ dialect: 'legacy' }, over);
  const jsonMessage = (text: string): Partial<EnvironmentInput> => ({
    message: { ...input().message, contentType: 'application/json' },
    body: { text },
  });

  it('of a legacy actor has each variable under its name on the hosted platform too', () => {
    const given = { apiServer: 'http://x', accessToken: 't', state: '{"a":true}' };
    expect(environmentOf(legacy(given))).toEqual({
      files: [],
      variables: {
        PYTHONUNBUFFERED: '1',
        ...Object.fromEntries(
          Object.entries({
            username: 'ana',
            api_server: 'http://x',
            execution_id: 'E1',
            Content_Type: 'str',
            actor_revision: '3',
            access_token: 't',
            actor_dbid: 'DEV_A1',
            actor_id: 'A1',
            worker_id: 'W1',
            container_repo: 'alpine',
            actor_state: "{'a': True}",
            actor_name: 'count',
          }).flatMap(([name, value]) => [
            [`_svc_${name}`, value],
            [`_abaco_${name}`, value],
          ]),
        ),
        '_abaco_Content-Type': 'str',
        _actor_configs: '{}',
        MSG: 'hi',
      },
    });
  });

  it('of a legacy actor lets clients trust an address with https, unless the actor says otherwise', () => {
    const NAME = 'TAPIS_DEFAULT_VERIFY_SSL';
    const setTo = (given: EnvironmentInput) => environmentOf(given).variables[NAME];
    const apiServer = 'https://172.30.0.1';
    expect(setTo(legacy({ apiServer }))).toBe('false');
    expect(setTo(withActor({ dialect: 'legacy', environment: { [NAME]: 'true' } }, { apiServer }))).toBe('true');
    for (const given of [legacy({ apiServer: 'http://x' }), legacy(), input({ apiServer })])
      expect(setTo(given)).toBeUndefined();
  });

  it('of a legacy actor has a JSON message as Python writes it', () => {
    const { variables } = environmentOf(legacy(jsonMessage('{"n": 12345678901234567890, "ok": true}')));
    expect(variables).toMatchObject({
      MSG: "{'n': 12345678901234567890, 'ok': True}",
      '_abaco_Content-Type': 'application/json',
    });
    expect(environmentOf(legacy(jsonMessage('"it\'s"'))).variables['MSG']).toBe("it's");
    expect(environmentOf(legacy({ body: { text: '{"a":true}' } })).variables['MSG']).toBe('{"a":true}');
  });

  it('of a legacy actor has no variable for null', () => {
    const { variables } = environmentOf(legacy({ ...jsonMessage('null'), state: 'null' }));
    expect(Object.keys(variables).filter((name) => /MSG|state/.test(name))).toEqual([]);
  });

  it('of a legacy actor has a binary message under both paths', () => {
    const message = { ...input().message, contentType: 'application/octet-stream' as const };
    const source = { file: '/bodies/1' };
    expect(environmentOf(legacy({ message, body: source })).files).toEqual([
      { path: '/_svc_binary_data', variable: '_svc_binary_data_FILE', source },
      { path: '/_abaco_binary_data', variable: '_abaco_binary_data_FILE', source },
    ]);
  });

  it('of a legacy actor has a large value as files under both names', () => {
    const items = Array.from({ length: 50_000 }, () => 'true').join(',');
    const { files, variables } = environmentOf(legacy({ ...jsonMessage(`[${items}]`), state: `[${items}]` }));
    expect(files.map(({ variable }) => variable)).toEqual([
      '_svc_actor_state_FILE',
      'MSG_FILE',
      '_abaco_actor_state_FILE',
    ]);
    const written = Buffer.from(`[${items.replaceAll(',', ', ').replaceAll('true', 'True')}]`);
    for (const { source } of files) expect('bytes' in source && written.equals(source.bytes)).toBe(true);
    expect(variables).not.toHaveProperty('_abaco_actor_state');
  });

  it('of a modern actor does not differ from that of an actor without a dialect', () => {
    for (const given of [input(), input(jsonMessage('{"a":true}')), input({ body: { file: '/bodies/2' } })])
      expect(environmentOf({ ...given, actor: { ...given.actor, dialect: 'modern' } })).toEqual(environmentOf(given));
  });

  const edge = 131_072 - 'MSG='.length - 1;
  const sizes: [string, string, boolean][] = [
    ['one byte below the limit of the kernel', 'x'.repeat(edge - 1), true],
    ['at the limit', 'x'.repeat(edge), false],
    ['below the limit in characters, above it in bytes', 'ž'.repeat(edge - 1), false],
    ['of two-byte characters below the limit', 'ž'.repeat(Math.floor((edge - 1) / 2)), true],
    ['of three-byte characters, whose bytes must be counted', '€'.repeat(80_000), false],
    ['with a NUL', 'a\0b', false],
  ];
  it.each(sizes)('has a message %s in a variable or a file', (_name, text, inVariable) => {
    const { variables, files } = environmentOf(input({ body: { text } }));
    if (inVariable) {
      expect(variables['MSG']).toBe(text);
      expect(files).toEqual([]);
    } else {
      expect(variables).not.toHaveProperty('MSG');
      expect(files).toMatchObject([{ variable: 'MSG_FILE', path: '/_svc_msg' }]);
      const source = files[0]?.source ?? { file: '' };
      expect('bytes' in source && new TextDecoder().decode(source.bytes)).toBe(text);
    }
  });

  it('has a large state as _svc_actor_state_FILE', () => {
    const { variables, files } = environmentOf(input({ state: `"${'x'.repeat(200_000)}"` }));
    expect(files).toMatchObject([{ variable: '_svc_actor_state_FILE', path: '/_svc_file__svc_actor_state' }]);
    expect(variables).not.toHaveProperty('_svc_actor_state');
  });

  it('counts the name, the equals sign and the final NUL towards the size limit', () => {
    expect(fitsVariable('MSG', edge - 1)).toBe(true);
    expect(fitsVariable('MSG', edge)).toBe(false);
    expect(fitsVariable('_svc_actor_state', edge - 1)).toBe(false);
  });
});
