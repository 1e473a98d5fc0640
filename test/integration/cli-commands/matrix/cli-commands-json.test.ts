// The names of fields in the JSON of every command: snake_case, except keys that are data of a user. Over 250 lines,
// because it has a line for every command.
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../../../../src/commands/framework/catalog.ts';
import { loadNode } from '../../../../src/commands/framework/command.ts';
import { type Home, inProcessHome } from '../../../support/daemon/home.ts';
import { shellActor } from '../../../support/daemon/shell-actor.ts';

/** One command line of each command, in an order in which they succeed. `{x}` is a resource created before. */
const lines = `status
daemon status
settings list
settings set request_timeout 20s
settings get request_timeout
settings unset request_timeout
daemon logs -n 3
version
whoami --check
auth status
auth list
auth logins
auth token
auth inspect
auth refresh
auth authorize-url --client web --redirect-uri http://127.0.0.1/cb
context create there --base-url http://127.0.0.1:9
context list
context show there
context export there {home}/there.json
context rename there away
context use local
context delete away --yes
env
snapshot create saved
snapshot list
snapshot show saved
snapshot delete saved --yes
reset --keep users,clients --dry-run
prune --dry-run
doctor
backup {home}/all.tar.gz
api routes
actors create {image} --name one -e someName=x --hint a --webhook http://127.0.0.1:9/ --cron @daily --wait
actors create {image} --name two --wait
actors create {image} --name counter --stateful --wait
actors list
api actors
actors show one
actors update one --memory 64m --cpus 1 --link two
actors init {home}/fresh
init {home}/fresh-project
actors check one
run one -m hello --env KEY=x
send one -m hello
send one -m {"someKey":1}
executions wait one@last
executions wait one@last --for .exit_code==0
logs one@last
actors logs one
executions logs one@last
executions list
executions search one --limit 1
executions show one@last
executions stats --by actor
executions rerun one@last
executions rerun one@last --run
executions halt {hanging} --yes
why one@last
messages list two
messages count two
messages purge two
state set counter --value {"someKey":{"innerKey":1}}
state set counter --value {"someKey":{"innerKey":2}}
state get counter
state patch counter --merge {"otherKey":1}
state history counter
state restore counter v1 --yes
state clear counter --yes
cron set one @hourly
cron show one
cron disable one
cron enable one
cron list
cron next one
cron unset one
events list --limit 3
events show @last
events types
events tail --no-follow
events emit ACTOR_READY --actor one
events redeliver {event} --to link
links set two counter
links list
links show one
links check two counter
links graph
links unset two
webhooks set two http://127.0.0.1:9/
webhooks show two
webhooks deliveries
webhooks delivery {delivery}
webhooks unset two
workers list one
workers show one {worker}
workers scale two 2
workers delete two {second} --yes
aliases create uno one
aliases list
aliases show uno
aliases set uno two
permissions grant one someUser READ
permissions list one
permissions can dev READ one
permissions revoke one someUser --yes
nonces create one --max-uses 5
nonces list one
nonces show one {nonce}
nonces delete one {nonce} --yes
configs create db --value {"someKey":1} --share one
configs list
configs show db
configs update db --value {"someKey":2}
configs set db someKey=3
configs share db two
configs unshare db two
configs export db
configs rotate-key
configs delete db --yes
search actors
search executions
search workers
search logs hello
utilization
activity
admin actors
admin workers
admin executions
admin executions --total
admin example
admin folders {home}
clients create web --redirect-uri http://127.0.0.1/cb
clients list
clients show web
clients update web --description text
clients rotate web --grace 1h
clients delete web --yes
users create ana --password-stdin
users list
users show ana
users update ana --email ana@example.org
users passwd ana --password-stdin
profiles list
profiles show ana
users delete ana --yes
tenants create other
tenants list
tenants show other
tenants update other --name Other
apply -f {whole}
project delete -f {whole} --yes
aliases delete uno --yes
actors delete two --yes`.split('\n');

/** Commands without JSON of their own, or whose JSON another test reads. */
const elsewhere: Readonly<Record<string, string>> = {
  up: 'cli-up',
  down: 'cli-daemon',
  'tls trust': 'cli-legacy',
  'clock show': 'cli-clock',
  'clock set': 'moves the time of an instance, cli-clock',
  'clock advance': 'moves the time of an instance, cli-clock',
  'clock pause': 'moves the time of an instance, cli-clock',
  'clock resume': 'moves the time of an instance, cli-clock',
  'daemon start': 'the same as up',
  'daemon stop': 'the same as down',
  'daemon restart': 'cli-daemon',
  'snapshot restore': 'restarts the daemon, cli-data',
  'daemon run': 'prints the log of the daemon',
  'daemon install': 'changes services of the machine, cli-service',
  'daemon uninstall': 'changes services of the machine, cli-service',
  dev: 'prints until it is interrupted, cli-project',
  exec: 'prints the output of its command',
  'executions shell': 'prints the output of its program',
  test: 'starts an instance of its own, project-tests',
  diff: 'exits with 12, cli-project',
  export: 'prints a project file, cli-project',
  docs: 'opens a page',
  open: 'opens a page',
  login: 'cli-login',
  'auth switch': 'needs two users, cli-auth',
  'auth exchange': 'needs a code, cli-auth',
  'context import': 'prints names, cli-context-transfer',
  'admin images': 'needs a container engine, admin-sources',
  'actors build': 'needs a container engine, actors-deploy',
  'actors deploy': 'needs a container engine, actors-deploy',
  'actors dev': 'needs a container engine, actors-deploy',
  'executions result': 'prints what the actor handed out, results',
  'state edit': 'needs a terminal, cli-terminal',
  'state watch': 'prints until it is interrupted, cli-commands-state',
  'state diff': 'exits with 12, cli-commands-state',
  'webhooks listen': 'prints requests, cli-webhooks-listen',
  'webhooks test': 'exits with 1, cli-commands-webhooks',
  'webhooks redeliver': 'exits with 1, cli-commands-webhooks',
  'auth revoke': 'ends the login, cli-auth',
  logout: 'ends the login, cli-auth',
  'completion bash': 'prints a script',
  'completion zsh': 'prints a script',
  'completion fish': 'prints a script',
  'completion powershell': 'prints a script',
  'completion install': 'changes files of the shell, completion',
  'completion uninstall': 'changes files of the shell, completion',
};

/** Fields whose value is data of a user, with keys of its own. */
const ofUsers = ['default_environment', 'state', 'value', 'msg', 'results'];
/** Commands whose whole document is data of a user, or the unchanged response of the service. */
const verbatim = [
  ...['api actors', 'env', 'state get', 'configs export'],
  ...['permissions list', 'permissions grant', 'permissions revoke'],
];

/** The paths of the keys in a document, without those inside data of a user. */
const keysOf = (value: unknown, path = ''): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => keysOf(each, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    `${path}${key}`,
    ...(ofUsers.includes(key) ? [] : keysOf(each, `${path}${key}.`)),
  ]);
};

const documentsIn = (text: string): readonly unknown[] => {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }
};

let home: Home;
const printed = new Map<string, string>();
const things: Record<string, string> = {};

const run = async (line: string): Promise<string> => {
  const args = line.split(' ').map((word) => word.replace(/\{([a-z]+)\}/g, (_, name: string) => things[name] ?? name));
  const { code, stdout, stderr } = await home.cli([...args, '--json'], { input: 'long enough a secret\n' });
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
  return stdout;
};
const find = async (line: string, path: string): Promise<string> => {
  const { stdout, stderr } = await home.cli([...line.split(' '), '--jq', path, '-r']);
  if (stdout === '') throw new Error(`${line} --jq ${path} printed nothing: ${stderr}`);
  return stdout.trim();
};
/** Finds the resources that a line needs, which earlier lines created. */
const needs: Readonly<Record<string, () => Promise<string>>> = {
  hanging: async () => {
    const id = await find('send one -m hang', '.execution_id');
    await run(`executions wait ${id} --for RUNNING`);
    return id;
  },
  event: () => find('events list --actor one --type EXECUTION_COMPLETE --limit 1', '.[0].id'),
  delivery: () => find('events emit SENT --actor two', '.deliveries.webhook'),
  worker: () => find('workers list one', '.[0].id'),
  second: () => find('workers list two', '.[0].id'),
  nonce: () => find('nonces list one', '.[0].id'),
};

beforeAll(async () => {
  home = inProcessHome();
  await home.up();
  things['home'] = home.folder;
  things['image'] = shellActor(home.folder);
  things['whole'] = `${home.folder}/whole.yaml`;
  writeFileSync(things['whole'], `project: whole\nactors:\n  whole: { image: ${things['image']} }\n`);
  for (const line of lines) {
    const name = /\{([a-z]+)\}/.exec(line)?.[1];
    if (name !== undefined && name in needs) things[name] = (await needs[name]?.()) ?? '';
    printed.set(line, await run(line));
  }
});
afterAll(() => home.remove());

describe('the JSON of commands', () => {
  it('is checked for every command, or has a reason why not', async () => {
    const nodes = await Promise.all(catalog.map(loadNode));
    const names = nodes.flatMap((node) =>
      node.kind === 'group' ? node.children.map(({ name }) => `${node.name} ${name}`) : [node.name],
    );
    const without = names.filter(
      (name) => !(name in elsewhere) && !lines.some((line) => line === name || line.startsWith(`${name} `)),
    );
    expect(without).toEqual([]);
  });

  it.each(lines.filter((line) => !verbatim.some((each) => line.startsWith(each))))(
    'of %s has snake_case keys',
    (line) => {
      const keys = documentsIn(printed.get(line) ?? '').flatMap((document) => keysOf(document));
      expect(keys.filter((path) => !/^_?[a-z][a-z0-9_]*$/.test(path.split('.').at(-1) ?? ''))).toEqual([]);
    },
  );

  it('preserves the keys of user data', () => {
    expect(printed.get('state get counter')).toContain('"innerKey"');
    expect(printed.get('configs show db')).toContain('"someKey"');
    expect(printed.get('permissions list one')).toContain('"someUser"');
    expect(printed.get('actors show one')).toContain('"someName"');
    expect(printed.get('send one -m {"someKey":1}')).toContain('"someKey"');
  });

  it('of api uses the field names of the service', () => {
    expect(printed.get('api actors')).toContain('"createTime"');
  });

  it.each([
    ['executions list --fields actor_id --json', '"actor_id"'],
    ['executions list --filter exit_code=0 --jq .[0].exit_code', '0'],
    ['executions list --sort -start_time --template {{start_time}}', 'T'],
  ])('%s uses the field names of the JSON', async (line, text) => {
    const { code, stdout, stderr } = await home.cli([...line.split(' ')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
  });

  it('suggests the name of a field that is written as the service writes it', async () => {
    const { code, stderr } = await home.cli(['executions', 'list', '--fields', 'actorId,id']);
    expect(code).toBe(2);
    expect(stderr).toContain('write actor_id');
  });
});
