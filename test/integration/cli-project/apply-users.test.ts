// `apply` of a project on which several users work.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import type { Ended } from '../../support/daemon/home.ts';

const PASSWORD = 'second-best-horse';
const RECORD = 'actorctl-project.shared';

let home: SharedHome;
let folder: string;
let image: string;
let ana: string;

const write = (text: string): void => writeFileSync(join(folder, 'actorctl.yaml'), text);
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  home.cli(args, { cwd: folder, env });
const asAna = (...args: readonly string[]): Promise<Ended> => run(args, { ACTORCTL_TOKEN: ana });
const must = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(args);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
};
const two = (log: string, project = 'shared'): string =>
  `project: ${project}\nactors:\n  one: { image: '${image}', env: { LOG: ${log} } }\n  two: { image: '${image}', env: { LOG: ${log} } }\naliases:\n  front: one\n`;

beforeAll(async () => {
  home = await sharedHome();
  folder = join(home.folder, 'project');
  mkdirSync(folder);
  // An admin alone may register a folder. Nothing runs here, so the image need not be there.
  image = 'busybox';
  await home.cli(['users', 'create', 'ana', '--password-stdin'], { input: PASSWORD });
  expect(
    (await home.cli(['login', '--username', 'ana', '--password-stdin', '--force'], { input: PASSWORD })).code,
  ).toBe(0);
  ana = (await must('auth', 'token')).trim();
  await must('auth', 'switch', 'dev');
  write(two('info'));
  await must('apply');
});
afterAll(() => home.remove());

describe('a project of another user', () => {
  it('is not treated as a new project', async () => {
    const refused = await asAna('apply');
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain(`project "shared" belongs to another user`);
    expect(refused.stderr).toContain(`ask its owner for UPDATE on config "${RECORD}"`);
  });

  it('whose actors cannot be read is refused instead of being created again', async () => {
    await must('permissions', 'grant', `config:${RECORD}`, 'ana', 'UPDATE');
    expect(await asAna('apply')).toMatchObject({ code: 5, stderr: expect.stringContaining('actor "one"') });
  });

  it('of which the caller may change only a part is refused by name before any change', async () => {
    await must('permissions', 'grant', 'one', 'ana', 'UPDATE');
    await must('permissions', 'grant', 'two', 'ana', 'READ');
    await must('permissions', 'grant', 'alias:front', 'ana', 'READ');
    write(two('debug'));
    const refused = await asAna('apply');
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('you may not change actor "two" of dev; nothing was changed');
    expect(await home.json('actors', 'show', 'one')).toMatchObject({ version: 1 });
  });

  it('R186 can be changed by a user with permission on all parts who names its owner', async () => {
    write(two('debug'));
    await must('permissions', 'grant', 'two', 'ana', 'UPDATE');
    const refused = await asAna('apply');
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain('project "shared" belongs to user "dev"');
    expect(refused.stderr).toContain('--owner dev');
    expect(await home.json('actors', 'show', 'one')).toMatchObject({ version: 1 });
    expect((await asAna('project', 'delete', '-f', '.', '--yes')).code).toBe(7);
    // Both report what an apply would do, and that apply is refused.
    for (const command of [['diff'], ['apply', '--dry-run']])
      expect(await asAna(...command)).toMatchObject({ code: 7, stdout: '', stderr: refused.stderr });
    expect((await asAna('diff', '--owner', 'dev')).code).toBe(12);
    expect((await asAna('apply', '--dry-run', '--owner', 'dev')).code).toBe(0);
    expect((await asAna('apply', '--owner', 'nobody')).code).toBe(6);
    const applied = await asAna('apply', '--owner', 'dev');
    expect(applied).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Project shared: 2 changed, 1 unchanged'),
    });
    expect((await run(['diff'])).code).toBe(0);
  });

  it('has an alias that another project cannot take', async () => {
    write(
      two('debug', 'other')
        .replaceAll(/^ {2}(one|two)/gm, '  other-$1')
        .replace('front: one', 'front: other-one'),
    );
    const refused = await run(['apply']);
    expect(refused).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('alias "front" belongs to project "shared"'),
    });
    const taken = await asAna('apply');
    expect(taken.code).toBe(7);
  });

  it('is not applied if an actor needs a config that the caller may only read', async () => {
    await must('configs', 'create', 'lent', '--value', '1');
    await must('permissions', 'grant', 'config:lent', 'ana', 'READ');
    write("project: borrows\nactors:\n  borrower: { image: 'busybox', configs: [lent] }\n");
    for (const command of [['diff'], ['apply', '--dry-run'], ['apply']])
      expect(await asAna(...command)).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('you may not change config "lent" of dev; nothing was changed'),
      });
    expect((await asAna('actors', 'show', 'borrower')).code).toBe(6);
    await must('permissions', 'grant', 'config:lent', 'ana', 'UPDATE');
    expect(await asAna('diff')).toMatchObject({ code: 12 });
  });

  it('does not lose an alias that another user took', async () => {
    await must('actors', 'create', image, '--name', 'of-dev');
    await must('aliases', 'create', 'taken', 'of-dev');
    await must('permissions', 'grant', 'alias:taken', 'ana', 'READ');
    await must('permissions', 'grant', 'of-dev', 'ana', 'READ');
    write("project: of-ana\nactors:\n  mine: { image: 'busybox' }\naliases:\n  taken: mine\n");
    expect(await asAna('apply')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('you may not change alias "taken" of dev'),
    });
    await must('permissions', 'revoke', 'alias:taken', 'ana', '--yes');
    const hidden = await asAna('apply');
    expect(hidden.code).toBe(7);
    expect(hidden.stderr).toContain('1 of 2 changes of project "of-ana" are done, then cannot create alias taken');
  });
});
