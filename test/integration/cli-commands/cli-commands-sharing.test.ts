// `aliases` and `permissions` of the built program against the built daemon, the ways to name an actor, and its token.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let one: string;
let two: string;
/** The environment with the client of bob, who is not an admin. */
let bob: NodeJS.ProcessEnv;

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.cli(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
};
const refused = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.cli([...args, '--json']);
  expect(stdout).toBe('');
  return [code, errorOf(stderr)['code']];
};

beforeAll(async () => {
  home = await sharedHome();
  const image = shellActor(home.folder);
  one = await said('actors', 'create', image, '--name', 'one', '-q');
  two = await said('actors', 'create', image, '--name', 'two', '-q');
  const password = { input: 'long enough\n' };
  await home.cli(['users', 'create', 'bob', '--password-stdin'], password);
  const made = await home.cli(
    ['clients', 'create', 'b', '--username', `${home.tenant}/bob`, '--password-stdin', '--json'],
    password,
  );
  const { client_id, client_secret } = JSON.parse(made.stdout) as Record<string, string>;
  bob = { ACTORCTL_CLIENT_ID: client_id, ACTORCTL_CLIENT_SECRET: client_secret };
});
afterAll(() => home.remove());

it("R220 run and send prefer the caller's own actor to a published one of the same name, and name the owner of any other actor", async () => {
  const image = shellActor(home.folder);
  const published = await said('actors', 'create', image, '--name', 'dupname', '--wait', '-q');
  await said('permissions', 'grant', published, 'ABACO_WORLD', 'EXECUTE', '-q');
  const asBob = async (...args: string[]) => home.cli(args, { env: bob });
  const { stderr, code } = await asBob('run', 'dupname', '-m', 'true');
  const naming = `sending to dupname (${published}), an actor of dev\n`;
  expect([code, stderr.slice(0, naming.length)]).toEqual([0, naming]);
  const own = (await home.cli(['send', 'dupname', '-m', 'true'])).stderr;
  expect(own).not.toContain('an actor of');
  await said('actors', 'delete', published, '--yes', '--force', '-q');
});

describe('aliases', () => {
  it('create prints the target, and needs --move for an existing alias', async () => {
    expect(await said('aliases', 'create', 'made', 'one')).toBe(`alias made -> one (${one})`);
    const again = await home.cli(['aliases', 'create', 'made', 'two', '--json']);
    expect([again.code, errorOf(again.stderr)]).toMatchObject([
      7,
      { code: 'ALREADY_EXISTS', hint: 'use another alias, or add --move to point this one to the actor' },
    ]);
    expect(await home.json('aliases', 'create', 'made', 'two', '--move')).toMatchObject({
      alias: 'made',
      actor_id: two,
      previous: one,
    });
    expect(await said('aliases', 'create', 'new', 'one', '--move', '-q')).toBe('new');
  });

  it('set changes the target, with --if-actor only from that target', async () => {
    await said('aliases', 'create', 'moving', 'one');
    expect(await said('aliases', 'set', 'moving', 'two', '--if-actor', 'one')).toBe(`moving: ${one} -> ${two}`);
    expect(await refused('aliases', 'set', 'moving', 'two', '--if-actor', one)).toEqual([7, 'STALE_VERSION']);
    expect(await said('aliases', 'set', 'alias:moving', 'alias:moving')).toBe(`moving: already points to ${two}`);
    expect(await home.json('aliases', 'set', 'moving', one)).toMatchObject({ actor_id: one, previous: two });
    expect(await refused('aliases', 'set', 'absent', 'one')).toEqual([6, 'NOT_FOUND']);
    expect(await refused('aliases', 'set', 'moving', 'absent')).toEqual([6, 'NOT_FOUND']);
  });

  it('list and show print the name of the actor too', async () => {
    await said('aliases', 'create', 'shown', 'two');
    const [row] = await home.json<Record<string, unknown>[]>('aliases', 'list', '--filter', 'alias=shown');
    expect(row).toMatchObject({ alias: 'shown', actor_id: two, owner: 'dev', actor_name: 'two' });
    expect((await said('aliases', 'list', '--actor', 'two', '-o', 'id')).split('\n')).toContain('shown');
    expect((await said('aliases', 'list', '--actor', 'one', '-o', 'id')).split('\n')).not.toContain('shown');
    expect(await said('alias', 'get', 'shown')).toBe(`alias\tshown\nactor\ttwo\nactor id\t${two}\nowner\tdev`);
    expect(await refused('aliases', 'show', 'absent')).toEqual([6, 'NOT_FOUND']);
  });

  it('delete asks for confirmation, and counts the deleted nonces', async () => {
    await said('aliases', 'create', 'going', 'one');
    expect(await home.cli(['nonces', 'create', 'alias:going'])).toMatchObject({ code: 0 });
    expect(await refused('aliases', 'delete', 'going')).toEqual([3, 'CONFIRMATION_REQUIRED']);
    expect(await said('aliases', 'rm', 'going', '-y')).toBe('Deleted alias going (1 nonce)');
    expect(await refused('aliases', 'delete', 'going', '-y')).toEqual([6, 'NOT_FOUND']);
    await said('aliases', 'create', 'going', 'one');
    expect(await home.json('aliases', 'delete', 'going', '-y')).toEqual({ deleted: 'going', nonces: 0 });
  });

  it.each(['nonces', '__proto__', 'a b', '..'])('R131 create refuses the name %s', async (name) => {
    expect(await refused('aliases', 'create', name, 'one')).toEqual([2, 'VALIDATION']);
  });
});

describe('naming an actor', () => {
  it('R124 an alias works like an id, and alias: and id: select one of the two', async () => {
    expect((await home.cli(['aliases', 'create', 'two', 'one'])).stderr).toContain(`the name of the actor ${two}.`);
    const shown = async (reference: string) => (await home.json('actors', 'show', reference))['id'];
    expect(await shown('two')).toBe(one);
    expect(await shown('alias:two')).toBe(one);
    expect(await shown(`id:${two}`)).toBe(two);
    expect(await home.json('run', 'alias:two', '-m', 'x')).toMatchObject({ actor_id: one, status: 'COMPLETE' });
    for (const wrong of ['id:two', 'alias:one', `alias:${one}`, 'id:absent']) {
      expect([wrong, await refused('actors', 'show', wrong)]).toEqual([wrong, [6, 'NOT_FOUND']]);
    }
    expect(await refused('actors', 'show', 'alias:')).toEqual([2, 'USAGE']);
    await said('aliases', 'delete', 'two', '-y');
    expect(await shown('two')).toBe(two);
  });
});

describe('permissions', () => {
  beforeAll(async () => {
    await said('aliases', 'create', 'shared', 'one');
  });

  it('grant prints the level before and after, of several users at once', async () => {
    const alias = 'alias:shared (the actor keeps its own permissions)';
    expect(await said('permissions', 'grant', 'one', 'bob', 'read')).toBe(`bob: - -> READ on one (${one})`);
    expect(await said('permissions', 'grant', 'alias:shared', 'bob=READ', 'ABACO_WORLD=NONE')).toBe(
      `bob: - -> READ on ${alias}\nABACO_WORLD: - -> NONE on ${alias}`,
    );
    expect(await home.json('permissions', 'grant', 'shared', 'bob=EXECUTE')).toEqual({ dev: 'UPDATE', bob: 'EXECUTE' });
    const typo = await home.cli(['permissions', 'grant', 'two', 'bbo', 'READ']);
    expect([typo.code, typo.stderr]).toEqual([0, expect.stringContaining('there is no user "bbo"')]);
    for (const words of [['bob'], ['bob', 'WRITE'], ['bob=READ', 'ana'], ['bob', 'READ', 'x']]) {
      expect(await refused('permissions', 'grant', 'one', ...words)).toEqual([2, 'USAGE']);
    }
    expect(await refused('permissions', 'grant', 'one', 'me', 'READ')).toEqual([2, 'VALIDATION']);
    const half = await home.cli(['permissions', 'grant', 'one', 'bob=READ', 'me=READ', '--json']);
    expect([half.code, errorOf(half.stderr)]).toMatchObject([
      2,
      {
        details: { given: [`bob: EXECUTE -> READ (lowered) on one (${one})`] },
        message: expect.stringMatching(/^cannot grant to "me": user "me" /),
      },
    ]);
    expect(await refused('permissions', 'grant', 'alias:absent', 'bob', 'READ')).toEqual([6, 'NOT_FOUND']);
    expect(await refused('permissions', 'grant', 'alias:', 'bob', 'READ')).toEqual([2, 'USAGE']);
  });

  it('grant says that a level is lowered, already there, or still given to everybody', async () => {
    await said('permissions', 'grant', 'two', 'bob', 'EXECUTE');
    expect(await said('permissions', 'grant', 'two', 'bob', 'READ')).toBe(
      `bob: EXECUTE -> READ (lowered) on two (${two})`,
    );
    expect(await said('permissions', 'grant', 'two', 'bob', 'READ')).toBe(`bob: already READ on two (${two})`);
    const { stdout, stderr } = await home.cli(['permissions', 'grant', 'two', 'ABACO_WORLD=EXECUTE', 'bob=NONE']);
    expect(stdout).toMatch(/\nbob: READ -> NONE \(lowered\) on two \(\w+\)\n$/);
    expect(stderr).toBe('everybody still has EXECUTE (ABACO_WORLD)\n');
    await said('permissions', 'revoke', 'two', 'ABACO_WORLD', '-y');
  });

  it('grant and revoke on a bare alias say that they change the actor and not the alias', async () => {
    const on = `one (${one}), the actor of alias shared (the alias itself: alias:shared)`;
    expect(await said('permissions', 'grant', 'shared', 'bob', 'UPDATE')).toMatch(/^bob: \S+ -> UPDATE on /);
    expect(await said('permissions', 'grant', 'shared', 'bob', 'EXECUTE')).toBe(
      `bob: UPDATE -> EXECUTE (lowered) on ${on}`,
    );
    expect(await home.json('permissions', 'list', 'alias:shared')).toMatchObject({ bob: 'READ' });
    expect(await said('permissions', 'revoke', 'shared', 'bob', '-y')).toBe(`bob: EXECUTE -> NONE on ${on}`);
  });

  it('list prints a table for people and a map for programs', async () => {
    await said('permissions', 'grant', 'one', 'bob', 'READ');
    expect(await said('permissions', 'list', 'one')).toBe('USER\tLEVEL\ndev\tUPDATE\nbob\tREAD');
    expect(await home.json('permissions', 'list', 'one')).toEqual({ dev: 'UPDATE', bob: 'READ' });
    expect(await home.json('permissions', 'list', 'one', '--filter', 'level=READ')).toEqual({ bob: 'READ' });
    expect(await said('permissions', 'list', 'one', '--jq', '.bob', '--raw')).toBe('READ');
    expect(await refused('permissions', 'list', 'config:absent')).toEqual([6, 'NOT_FOUND']);
  });

  it('can reports by its exit code whether a user has a level, and prints the reason', async () => {
    await said('permissions', 'grant', 'one', 'bob', 'READ');
    const no = await home.cli(['permissions', 'can', 'bob', 'update', 'one']);
    expect(no).toEqual({ code: 5, stdout: `no: bob has READ on actor ${one}; UPDATE is needed.\n`, stderr: '' });
    expect(await said('permissions', 'can', 'bob', 'READ', 'one')).toBe(`yes: bob has READ on actor ${one}.`);
    const { code, stdout } = await home.cli(['permissions', 'can', 'nobody', 'READ', 'alias:shared', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([5, { allowed: false, has: 'NONE', needs: 'READ', by: 'nobody' }]);
    expect(await refused('permissions', 'can', 'bob', 'ALL', 'one')).toEqual([2, 'USAGE']);
  });

  it('revoke asks for confirmation, sets NONE, and refuses the last holder and users without a permission', async () => {
    await said('permissions', 'grant', 'one', 'bob=READ', 'ABACO_WORLD=EXECUTE');
    expect(await refused('permissions', 'revoke', 'one', 'bob')).toEqual([3, 'CONFIRMATION_REQUIRED']);
    const revoked = await home.cli(['permissions', 'revoke', 'one', 'bob', '-y']);
    expect([revoked.code, revoked.stdout, revoked.stderr]).toEqual([
      0,
      `bob: READ -> NONE on one (${one})\n`,
      'everybody still has EXECUTE (ABACO_WORLD)\n',
    ]);
    expect(await home.json('permissions', 'revoke', 'one', 'ABACO_WORLD', '-y')).toMatchObject({ ABACO_WORLD: 'NONE' });
    for (const user of ['bob', 'absent']) {
      expect(await refused('permissions', 'revoke', 'one', user, '-y')).toEqual([6, 'NOT_FOUND']);
    }
    expect(await refused('permissions', 'revoke', 'one', 'dev', '-y')).toEqual([7, 'LAST_HOLDER']);
  });

  it('R122 are refused with the missing level to users with too low a level, and hidden from others', async () => {
    await said('permissions', 'grant', 'one', 'bob', 'READ');
    const tooLittle = await home.cli(['permissions', 'grant', 'one', 'bob', 'UPDATE', '--json'], { env: bob });
    expect([tooLittle.code, errorOf(tooLittle.stderr)['code']]).toEqual([5, 'FORBIDDEN']);
    expect(errorOf(tooLittle.stderr)['message']).toMatch(/UPDATE is needed and you have READ/);
    expect(await home.cli(['permissions', 'list', 'two'], { env: bob })).toMatchObject({ code: 6, stdout: '' });
    const target = await home.cli(['aliases', 'create', 'mine', one, '--json'], { env: bob });
    expect([target.code, errorOf(target.stderr)['code']]).toEqual([5, 'FORBIDDEN']);
  });
});

describe('users delete', () => {
  it('transfers aliases, or lists them when it refuses', async () => {
    await said('permissions', 'grant', 'two', 'bob', 'UPDATE');
    expect(await home.cli(['aliases', 'create', 'bobs', 'two'], { env: bob })).toMatchObject({ code: 0 });
    const inUse = await home.cli(['users', 'delete', 'bob', '-y', '--json']);
    expect([inUse.code, errorOf(inUse.stderr)]).toMatchObject([
      7,
      { code: 'IN_USE', message: expect.stringContaining('owns 1 alias.') },
    ]);
    expect(await said('users', 'delete', 'bob', '-y', '--reassign-to', 'dev')).toMatch(
      /^Deleted user bob \(\d tokens? revoked, 1 client deleted, 1 alias reassigned to dev\)$/,
    );
    expect(await home.json('aliases', 'show', 'bobs')).toMatchObject({ owner: 'dev' });
    expect(await home.json('permissions', 'list', 'alias:bobs')).toEqual({ dev: 'UPDATE' });
    expect(await home.json('permissions', 'list', 'two')).not.toHaveProperty('bob');
  });
});

it('R154 with --token gives executions a token that acts for the owner, and show says so', async () => {
  const image = shellActor(home.folder);
  const tokenOf = async (...flags: readonly string[]) => {
    const { id } = await home.json<{ id: string }>('actors', 'create', image, ...flags);
    const { token_reach } = await home.json('actors', 'show', id);
    return [token_reach, /^token\t(.*)$/m.exec((await home.cli(['actors', 'show', id])).stdout)?.[1]];
  };
  expect(await tokenOf()).toEqual(['none', 'none']);
  expect(await tokenOf('--stateful')).toEqual(['own', 'its own actor, execution and link only']);
  expect(await tokenOf('--stateful', '--token')).toEqual([
    'owner',
    'everything of the owner except permissions, nonces, clients and users',
  ]);
});
