// `--dry-run` of every command that changes more than one resource: it exists, it reports what would happen, and it
// changes nothing.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../../../../src/commands/framework/catalog.ts';
import { loadLeaves, loadNode } from '../../../../src/commands/framework/command.ts';
import { type Home, inProcessHome } from '../../../support/daemon/home.ts';
import { shellActor } from '../../../support/daemon/shell-actor.ts';

/** A command line without `--dry-run`, and what the dry run prints. `{x}` is a resource created before. */
const lines: Readonly<Record<string, RegExp>> = {
  'actors delete one two':
    /^would delete actor one \(\w+\) with 1 execution and alias uno\nwould delete actor two \(\w+\) with webhook to http:\/\/127\.0\.0\.1:9\n$/,
  'actors deploy {project}': /^fresh: would change: created/,
  'aliases delete uno': /^would delete alias uno \(1 nonce\)\n$/,
  'apply -f {whole}': /^would change actor older \(\w+\): description: - -> changed\nwould create actor newer\n$/,
  'auth revoke': /^would revoke the tokens of dev and log out\n$/,
  'clients delete web': /^would delete client web and revoke its tokens\n$/,
  'clients rotate web': /^would replace the secret of client web and revoke all its tokens\n$/,
  'completion install bash': /^would add completion for bash to .*\.bashrc\n$/,
  'completion uninstall zsh': /^would remove completion for zsh from .*\.zshrc\n$/,
  'configs delete db other': /^would delete config db, shared with \w+\nwould delete config other\n$/,
  'configs rotate-key': /^would create a new key and encrypt all secrets with it\n$/,
  'configs set db a=2 b=3': /^would change db\.a: 1 -> 2\nwould change db\.b: unset -> 3\n$/,
  'configs share db one two': /^would change db: \+\w+\n$/,
  'configs unshare db one': /^would change db: -\w+\n$/,
  'context delete away': /^would delete context away\n$/,
  'context import {contexts}': /^would import there\n$/,
  'cron set one @daily --tz Asia/Kolkata --message hi':
    /^(would send "hi" to one: \d{4}-\d\d-\d\dT18:30:00\.000Z\n){5}$/,
  'daemon install': /^would install the service \S+ in \S+\n$/,
  'daemon stop': /^would stop the daemon \(process \d+\)\nwould wait up to 30s for 1 execution to end\n$/,
  'daemon uninstall': /^nothing would change\n$/,
  'project delete -f {whole}': /^would delete actor older \(\w+\)\n$/,
  'executions halt {running}': /^would halt execution \w+\n$/,
  'executions rerun {ended} -m new': /^would send the new message in place of that of \w+ to actor \w+\n$/,
  down: /^would stop the daemon \(process \d+\)\nwould wait up to 30s for 1 execution to end\n$/,
  'logout --all': /^would log out dev and revoke the tokens\nwould delete the stored client\n$/,
  'messages purge one': /^nothing would change\n$/,
  'permissions grant one ana=READ bob=UPDATE':
    /^would grant ana: - -> READ on one \(\w+\)\nwould grant bob: - -> UPDATE on one/,
  'prune --older-than 0s':
    /^would delete 1 execution \(.+B\)\nwould delete \d+ events \(.+B\)\nwould delete 1 delivery \(.+B\)\n$/,
  'reset --keep users': /^would save all data in a snapshot\nwould delete all data of instance default except users\n$/,
  'snapshot delete saved': /^would delete snapshot saved\n$/,
  'state patch counter --merge {"a":1}': /^state of counter: v\d+ -> v\d+, not sent/,
  'state set counter --value 1': /^state of counter: v\d+ -> v\d+, not sent/,
  'users delete ana --reassign-to dev': /^would delete user ana with all clients, tokens and nonces, and reassign/,
  'webhooks redeliver {delivery}': /^would redeliver \w+\n$/,
};

/** Commands with a variadic argument that change at most one resource. */
const reading = new Set([
  'actors logs',
  'api',
  'configs export',
  'executions logs',
  'executions wait',
  'logs',
  // It changes nothing.
  'executions shell',
  // They change a temporary instance of their own.
  'exec',
  'test',
]);

const leaves = (await Promise.all(catalog.map(async (entry) => loadLeaves(await loadNode(entry))))).flat();
const withFlag = leaves
  .filter(({ leaf }) => Object.values(leaf.options).some(({ flags }) => flags === '--dry-run'))
  .map(({ path }) => path);

let home: Home;
const things: Record<string, string> = {};

const words = (line: string): readonly string[] =>
  line.split(' ').map((word) => word.replace(/\{([a-z]+)\}/g, (_, name: string) => things[name] ?? name));
const run = async (line: string, input?: string): Promise<string> => {
  const { code, stdout, stderr } = await home.cli(words(line), input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
  return stdout;
};

/** All that the commands could change, as the lists and files say. */
const content = async (): Promise<readonly string[]> => {
  const lists = [
    ...['actors list', 'aliases list', 'auth list', 'clients list', 'configs list', 'context list', 'daemon status'],
    ...[
      'executions list',
      'messages list one',
      'nonces list alias:uno',
      'permissions list one',
      'state history counter',
    ],
    ...['users list', 'webhooks deliveries'],
  ];
  const listed = await Promise.all(lists.map((line) => run(`${line} -o json`)));
  const files = readdirSync(home.folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(?:data|state|run)(?:\/|$)/.test(name) && statSync(join(home.folder, name)).isFile())
    .map((name) => `${name}: ${readFileSync(join(home.folder, name), 'utf8')}`);
  return [
    ...listed.map((text) => text.replace(/"(?:uptime|now|last_used|expires_in|rss|runtime)[a-z_]*": ?[^,}\n]*/g, '')),
    ...files.toSorted(),
  ];
};

beforeAll(async () => {
  home = inProcessHome();
  home.env['HOME'] = home.folder;
  const manager = fileURLToPath(new URL('../../../support/daemon/idle-manager', import.meta.url));
  home.env['PATH'] = `${manager}:${home.env['PATH']}`;
  await home.up();
  things['image'] = shellActor(home.folder);
  things['project'] = join(home.folder, 'fresh');
  things['contexts'] = join(home.folder, 'contexts-to-import.json');
  writeFileSync(things['contexts'], JSON.stringify({ contexts: { there: { base_url: 'http://127.0.0.1:9' } } }));
  for (const line of [
    ...['actors create {image} --name one --wait', 'actors create {image} --name two --wait'],
    ...['actors create {image} --name counter --stateful --wait', 'run one -m hello', 'state set counter --value 0'],
    ...['aliases create uno one', 'nonces create alias:uno', 'configs create db --value {"a":1} --share one'],
    ...['configs create other --value 1', 'clients create web', 'completion install zsh', 'actors init {project}'],
    'context create away --base-url http://127.0.0.1:9',
  ])
    await run(line);
  things['whole'] = join(home.folder, 'whole.yaml');
  const older = `project: whole\nactors:\n  older: { image: '${things['image']}' }\n`;
  writeFileSync(things['whole'], older);
  await run('apply -f {whole}');
  const newer = `${older.trimEnd().slice(0, -1)}, description: changed }\n  newer: { image: busybox }\n`;
  writeFileSync(things['whole'], newer);
  for (const name of ['ana', 'bob']) await run(`users create ${name} --password-stdin`, 'long enough a secret\n');
  await run('webhooks set two http://127.0.0.1:9/');
  await run('snapshot create saved');
  await home.cli(['webhooks', 'test', 'two']);
  things['ended'] = (await run('executions list one -o id')).trim();
  things['running'] = (await run('send counter -m hang -q')).trim();
  await run('executions wait {running} --for running');
  things['delivery'] = (await run('webhooks deliveries -o id')).trim().split('\n')[0] ?? '';
});
afterAll(() => home.remove());

describe('a dry run', () => {
  it('is supported by every command with several arguments, and every such command is listed here', () => {
    const needing = leaves.filter(({ leaf }) => Object.values(leaf.args).some(({ variadic }) => variadic));
    expect(needing.map(({ path }) => path).filter((path) => !reading.has(path) && !withFlag.includes(path))).toEqual(
      [],
    );
    const listed = leaves
      .map(({ path }) => path)
      .filter((path) => Object.keys(lines).some((line) => `${line} `.startsWith(`${path} `)));
    expect(withFlag.toSorted()).toEqual(listed.toSorted());
  });

  it('is documented for exactly the commands that support it', () => {
    const page = readFileSync(fileURLToPath(new URL('../../../../docs/cli.md', import.meta.url)), 'utf8');
    const [, list = ''] = /`--dry-run` exists on every command(.*?)A dry run prompts/s.exec(page) ?? [];
    const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(withFlag.toSorted());
  });

  it('says what would happen, asks nothing and changes nothing', async () => {
    const before = await content();
    for (const [line, says] of Object.entries(lines)) {
      const ended = await home.cli([...words(line), '--dry-run']);
      expect({ line, code: ended.code, stderr: ended.stderr }).toEqual({ line, code: 0, stderr: '' });
      expect(ended.stdout).toMatch(says);
      const { stdout } = await home.cli([...words(line), '--dry-run', '--json']);
      expect({ line, value: JSON.parse(stdout) }).toMatchObject({ line, value: { dry_run: true } });
    }
    expect(await content()).toEqual(before);
  });

  it.each([
    ['actors delete one nosuch', 6],
    ['configs delete db nosuch', 6],
    ['aliases delete nosuch', 6],
    ['clients delete nosuch', 6],
    ['users delete nosuch', 6],
    ['webhooks redeliver nosuch', 6],
    ['context delete nosuch', 6],
    ['permissions grant one ana=SOME', 2],
    ['cron set one @never', 2],
  ])('of %s fails like the real run, which deletes nothing', async (line, code) => {
    const before = await content();
    expect(await home.cli([...words(line), '--dry-run'])).toMatchObject({ code, stdout: '' });
    expect(await home.cli([...words(line), '--yes'])).toMatchObject({ code, stdout: '' });
    expect(await content()).toEqual(before);
  });

  it('of several actors lists the same resources as the confirmation prompt', async () => {
    const { code, stderr } = await home.cli(['actors', 'delete', 'one', 'two']);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /Delete 2 actors: one \(\w+\) with 1 execution and alias uno, two \(\w+\) with webhook to \S+\? All/,
    );
    const configs = await home.cli(['configs', 'delete', 'db', 'other']);
    expect(configs.stderr).toContain('Delete 2 configs: db, other?');
  });
});
