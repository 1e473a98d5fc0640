// Secrets that are shown once: what the output leaves out, and what happens with flags of the output that do not fit.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenStatus } from '../../support/commands/token-status.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterAll(() => home.remove());

const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.cli(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
};

describe('clients', () => {
  it('create and rotate warn if the chosen output leaves the secret out', async () => {
    const made = await home.cli(['clients', 'create', 'unseen', '-q']);
    expect(made.stderr).toContain('warning: the secret of client "unseen" is not shown');
    const rotated = await home.cli(['clients', 'rotate', 'unseen', '-y', '--fields', 'name']);
    expect(rotated.stderr).toContain('warning: the new secret of client "unseen" is not shown');
    expect(await said('clients', 'create', 'open', '--public', '-q')).not.toBe('');
  });

  it('rotate keeps the secret if --jq is invalid, and prints the new one if --fields is', async () => {
    const made = await home.json('clients', 'create', 'kept');
    const rotate = ['clients', 'rotate', 'kept', '-y'];
    expect(await home.cli([...rotate, '--jq', '.client_secret |'])).toMatchObject({ code: 2, stdout: '' });
    expect(await tokenStatus(home, made['client_id'], made['client_secret'])).toBe(0);
    const { code, stdout, stderr } = await home.cli([...rotate, '--fields', 'secret']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('warning: ') });
    const turned = JSON.parse(stdout) as Record<string, unknown>;
    expect(await tokenStatus(home, made['client_id'], turned['client_secret'])).toBe(0);
  });
});

it('nonces create warns if the chosen output leaves the nonce out', async () => {
  await home.json('actors', 'create', 'image', '--name', 'guarded');
  const create = ['nonces', 'create', 'guarded'];
  expect((await home.cli([...create, '--fields', 'level'])).stderr).toContain(
    'warning: the new nonce on actor guarded is not shown',
  );
  expect(await said(...create, '-q')).not.toBe('');
});
