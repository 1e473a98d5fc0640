// Settings: which source wins, and how invalid values are reported.
import { describe, expect, it } from 'vitest';
import { topics } from '../../../src/commands/framework/topics.ts';
import { CliFailure } from '../../../src/failure.ts';
import { resolveSettings, type SettingsInput } from '../../../src/local/settings/settings.ts';
import { checkFiles, type ReadFiles, settingNames } from '../../../src/local/settings/settings-file.ts';
import { parseDuration } from '../../../src/ui/format/time.ts';

const resolve = ({ files = {}, ...change }: Partial<Omit<SettingsInput, 'files'>> & { readonly files?: ReadFiles }) =>
  resolveSettings({ flags: {}, env: {}, files: checkFiles(files), duration: parseDuration, ...change });
const file = (value: unknown) => ({ path: '/c/settings.json', value });
const contexts = (value: unknown) => ({ path: '/c/contexts.json', value });
const project = (value: unknown) => ({ path: '/p/actorctl.json', value });

const failureOf = (work: () => unknown): CliFailure => {
  try {
    work();
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

it('help environment names every setting', () => {
  const text = topics.find(({ name }) => name === 'environment')?.text ?? '';
  const words = new Set(text.split(/[\s,]+/));
  expect(settingNames).toContain('daemon.engine');
  expect(settingNames.filter((name) => !words.has(name))).toEqual([]);
});

describe('settings', () => {
  it('have defaults', () => {
    expect(resolve({})).toMatchObject({
      context: 'local',
      instance: 'default',
      account: 'local/default',
      output: 'table',
      color: 'auto',
      requestTimeoutMs: 30_000,
      credentialStore: 'auto',
      autostart: false,
    });
  });

  it.each([
    [
      'flag',
      { flags: { output: 'json' }, env: { ACTORCTL_OUTPUT: 'yaml' }, files: { settings: file({ output: 'id' }) } },
      'json',
    ],
    ['variable', { env: { ACTORCTL_OUTPUT: 'yaml' }, files: { settings: file({ output: 'id' }) } }, 'yaml'],
    ['file', { files: { settings: file({ output: 'id' }) } }, 'id'],
    ['default', {}, 'table'],
  ])('take the output format from %s before sources of lower rank', (_name, input, expected) => {
    expect(resolve(input).output).toBe(expected);
  });

  it('take the instance from flag, variable, project, context and default, in that order', () => {
    const known = contexts({ current: 'work', contexts: { work: { instance: 'from-context' } } });
    const all = {
      flags: { instance: 'from-flag' },
      env: { ACTORCTL_INSTANCE: 'from-env' },
      files: { project: project({ instance: 'from-project' }), contexts: known },
    };
    expect(resolve(all).instance).toBe('from-flag');
    expect(resolve({ ...all, flags: {} }).instance).toBe('from-env');
    expect(resolve({ ...all, flags: {}, env: {} }).instance).toBe('from-project');
    expect(resolve({ files: { contexts: known } }).instance).toBe('from-context');
    expect(resolve({}).instance).toBe('default');
  });

  it('use only names from a project file, and ignore its other keys', () => {
    const settings = resolve({
      files: { project: project({ name: 'hello', image: 'x', base_url: 'http://evil.test', instance: 'p' }) },
    });
    expect(settings.instance).toBe('p');
    expect(settings.baseUrl).toBeUndefined();
  });

  it('keep the credentials of different services apart', () => {
    const known = contexts({ contexts: { far: { base_url: 'https://far.test/' } } });
    expect(resolve({ flags: { context: 'far' }, files: { contexts: known } })).toMatchObject({
      account: 'context/far',
      baseUrl: 'https://far.test',
    });
    expect(resolve({ env: { ACTORCTL_BASE_URL: 'http://other.test' } }).account).toBe('url/http://other.test');
    expect(resolve({ flags: { instance: 'two' } }).account).toBe('local/two');
  });

  it('suggest the key that was probably meant', () => {
    const failure = failureOf(() => resolve({ files: { settings: file({ ouput: 'json' }) } }));
    expect(failure.code).toBe('USAGE');
    expect(failure.message).toBe('/c/settings.json: no setting named "ouput"');
    expect(failure.extras.hint).toBe('did you mean "output"?');
  });

  it.each<[Parameters<typeof resolve>[0], string, string]>([
    [{ flags: { context: 'prod' } }, 'no context named "prod"', 'did you mean "prods"?'],
    [{ flags: { context: 'x' } }, 'no context named "x"', 'actorctl context list -c local'],
    [
      { env: { ACTORCTL_CONTEXT: 'x' } },
      'no context named "x", which ACTORCTL_CONTEXT names',
      'actorctl context list -c local',
    ],
    [
      { files: { settings: file({ context: 'x' }) } },
      'no context named "x", which /c/settings.json names',
      'actorctl settings unset context -c local',
    ],
    [
      { files: { contexts: contexts({ current: 'x', contexts: {} }) } },
      'no context named "x", which /c/contexts.json names',
      'actorctl context use local -c local',
    ],
  ])('report the source of an unknown context, and a fix: %j', (input, message, hint) => {
    const defined = contexts({ contexts: { prods: { base_url: 'http://127.0.0.1:1' } } });
    const failure = failureOf(() => resolve({ ...input, files: { contexts: defined, ...input.files } }));
    expect([failure.message, failure.extras.hint]).toEqual([message, hint]);
  });

  it.each([
    [{ env: { ACTORCTL_OUTPUT: 'xml' } }, 'ACTORCTL_OUTPUT must be one of'],
    [{ flags: { instance: '../x' } }, '"../x" is not a valid instance name'],
    [{ flags: { context: 'nowhere' } }, 'no context named "nowhere"'],
    [{ env: { ACTORCTL_BASE_URL: 'ftp://x' } }, 'ACTORCTL_BASE_URL must be an origin'],
    [{ env: { ACTORCTL_REQUEST_TIMEOUT: 'soon' } }, '"soon" is not a duration'],
    [{ files: { settings: file({ 'daemon.port': 0 }) } }, '/c/settings.json: daemon.port'],
    [{ files: { settings: file([]) } }, '/c/settings.json: the file'],
    [
      { files: { contexts: contexts({ contexts: { a: { base_url: 'x' } } }) } },
      '/c/contexts.json: contexts.a.base_url',
    ],
  ] satisfies [Parameters<typeof resolve>[0], string][])('refuse invalid values: %j', (input, message) => {
    const failure = failureOf(() => resolve(input));
    expect(failure.code).toBe('USAGE');
    expect(failure.message).toContain(message);
  });

  it('disable questions in CI, and treat 0 and false as off', () => {
    expect(resolve({ env: { CI: 'true' } }).noInput).toBe(true);
    expect(resolve({ env: { CI: 'false' } }).noInput).toBe(false);
    expect(resolve({ env: { ACTORCTL_DEBUG: '0' } }).debug).toBe(false);
    expect(
      resolve({ env: { ACTORCTL_AUTOSTART: '0' }, files: { settings: file({ 'daemon.autostart': true }) } }).autostart,
    ).toBe(false);
  });
});
