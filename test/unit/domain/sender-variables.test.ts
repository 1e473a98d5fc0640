// Which variables of a message reach the execution, and which entries an owner may declare for senders.
import { describe, expect, it } from 'vitest';
import { declarationFault, permittedVariables } from '../../../daemon/domain/actors/sender-variables.ts';
import { actorRecord } from '../../support/service/records.ts';

/** Names that make a common program of an image or of the machine run other code. */
const attacks = [
  ...['MAKEFILES', 'MAKEFLAGS', 'WGETRC', 'HOME', 'CDPATH', 'BASH_ENV', 'PS4', 'TMPDIR'],
  ...['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'GIT_SSH_COMMAND', 'XDG_CONFIG_HOME'],
  ...['NODE_OPTIONS', 'NODE_REDIRECT_WARNINGS', 'npm_config_script_shell', 'PYTHONPATH', 'https_proxy', 'EDITOR'],
];

const actor = (environment: Record<string, string>, senderVariables?: readonly string[]) =>
  actorRecord('A', { environment, ...(senderVariables && { senderVariables }) });
const sentOf = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `${name} of the sender`]));

describe('the variables of a sender without UPDATE', () => {
  it.each([
    ['none, if the owner declared none', {}, undefined, []],
    ['none, if the owner only has defaults', { LEVEL: 'info', JOB_ID: '' }, undefined, []],
    ['the names in senderVariables', {}, ['LEVEL', 'JOB'], ['LEVEL', 'JOB']],
    ['the names with a declared prefix, and the prefix itself', {}, ['JOB_*'], ['JOB_', 'JOB_ID', 'JOB_HOME']],
    ['no name that only resembles a declared one', { level: '' }, ['LEVEL_', 'JO'], []],
    ['a name with a default, if it is declared too', { LEVEL: '', OTHER: '' }, ['LEVEL'], ['LEVEL']],
  ] as const)('are %s', (_, environment, declared, expected) => {
    const names = ['LEVEL', 'JOB', 'JOB_', 'JOB_ID', 'JOB_HOME', 'OTHER'];
    const { variables, ignored } = permittedVariables(actor(environment, declared), sentOf(...names), false);
    expect(variables).toEqual(sentOf(...expected));
    expect(ignored).toEqual(names.filter((name) => !(expected as readonly string[]).includes(name)));
  });

  it.each(attacks)('R137 do not include %s, unless the owner lists exactly this name', (name) => {
    const undeclared = { variables: {}, ignored: [name] };
    const sent = sentOf(name);
    const prefix = `${name.slice(0, 2)}*`;
    expect(permittedVariables(actor({}), sent, false)).toEqual(undeclared);
    expect(permittedVariables(actor({ [name]: 'of the owner' }), sent, false)).toEqual(undeclared);
    expect(permittedVariables(actor({}, [prefix]), sent, false)).toEqual(undeclared);
    expect(permittedVariables(actor({}, [name]), sent, false)).toEqual({ variables: sent, ignored: [] });
  });

  it('R125 named like members of every object need a declaration as well', () => {
    const sent = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}');
    const { variables, ignored } = permittedVariables(actor({}, ['__proto__']), sent, false);
    expect(Object.entries(variables)).toEqual([['__proto__', 'p']]);
    expect(ignored).toEqual(['constructor', 'toString']);
  });
});

describe('the variables of a sender with UPDATE', () => {
  it('are all that were sent', () => {
    const sent = sentOf('OTHER', ...attacks);
    expect(permittedVariables(actor({}), sent, true)).toEqual({ variables: sent, ignored: [] });
  });

  it('R137 never include PATH and LD_*, whatever an earlier version stored', () => {
    const names = ['PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH'];
    const nothing = { variables: {}, ignored: names };
    for (const any of [true, false]) {
      expect(permittedVariables(actor({ PATH: '/bin' }, names), sentOf(...names), any)).toEqual(nothing);
    }
  });
});

describe('a declaration', () => {
  it.each([
    [['LEVEL', 'JOB_*', '_private', 'HOME', 'PATHS', 'LD'], undefined],
    [['PATH'], /^must not contain PATH: no sender can set it$/],
    [['LD_PRELOAD'], /LD_PRELOAD/],
    [['LD_*'], /LD_\*/],
    [['LEVEL', 'MSG'], /MSG/],
    [['_svc_actor_id'], /_svc_actor_id/],
    [['_svc_*'], /_svc_\*/],
    [['_abaco_x*'], /^must not contain _abaco_x\*: the platform sets it$/],
    [['MSG*'], /MSG\*/],
    [['MSG_*', 'MS*G'], undefined],
  ] as const)('of %j is accepted or refused by name', (entries, fault) => {
    if (fault === undefined) expect(declarationFault(entries)).toBeUndefined();
    else expect(declarationFault(entries)).toMatch(fault);
  });
});
