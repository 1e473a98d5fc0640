// What the lines of the matrix of commands name in braces: actors, executions, users, files. `{new}` is an unused name.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { visit } from '../daemon/login-process.ts';
import { shellActor } from '../daemon/shell-actor.ts';

/** What a fixture may use. */
export interface Workshop {
  /** Runs a command line that may name other fixtures. Returns its output. @throws Error if it fails */
  readonly run: (line: string, input?: string) => Promise<string>;
  /** An unused name. */
  readonly fresh: () => string;
}

export type Fixture = (workshop: Workshop) => Promise<string> | string;

/** The password of the user `ana`. */
export const ANA_PASSWORD = 'second-best-horse';

/** Creates the resource at its first use only. */
const once = (make: Fixture): Fixture => {
  let made: Promise<string> | undefined;
  return (workshop) => {
    made ??= Promise.resolve(make(workshop));
    return made;
  };
};

/** A resource that the line creates under the name NAME. */
const named =
  (line: string, input?: string): Fixture =>
  async ({ run, fresh }) => {
    const name = fresh();
    await run(line.replaceAll('NAME', name), input);
    return name;
  };

/** The output of the last line. */
const printed =
  (...lines: readonly string[]): Fixture =>
  async ({ run }) => {
    let output = '';
    for (const line of lines) output = await run(line);
    return output.trim().split('\n')[0] ?? '';
  };

/** An execution of a message to the actor, that has reached the goal. */
const execution =
  (message: string, goal: string): Fixture =>
  async ({ run }) => {
    const id = (await run(`send ${message} -q`)).trim();
    await run(`executions wait ${id}${goal}`);
    return id;
  };

/** Resources of the service. */
export const things: Readonly<Record<string, Fixture>> = {
  actor: once(named('actors create {image} --name NAME --workers 4 --wait')),
  stateful: once(async (workshop) => {
    const name = await named('actors create {image} --name NAME --stateful --wait')(workshop);
    for (const value of [1, 2]) await workshop.run(`state set ${name} --value {"count":${value}}`);
    return name;
  }),
  hooked: once(named('actors create {image} --name NAME --webhook {hook} --wait')),
  linked: once(named('actors create {image} --name NAME --link {actor} --wait')),
  'new-actor': named('actors create {image} --name NAME'),
  giver: once(named('actors create {giving-image} --name NAME --token --wait')),
  execution: once(execution('{actor} -m hello', '')),
  running: execution('{actor} -m hang', ' --for RUNNING'),
  given: execution('{giver} -m x', ''),
  worker: printed('workers scale {actor} 2', 'workers list {actor} -q'),
  event: printed('events emit CHECKED --actor {actor} -q'),
  'linked-event': once(printed('events emit CHECKED --actor {linked} -q')),
  delivery: once(printed('webhooks test {hooked} -q')),
  alias: once(named('aliases create NAME {actor}')),
  'new-alias': named('aliases create NAME {actor}'),
  nonce: printed('nonces create {actor} -q'),
  config: once(named('configs create NAME --value {"a":1} --share {actor}')),
  'shared-config': named('configs create NAME --value {"a":1} --share {actor}'),
  'new-config': named('configs create NAME --value {"a":1}'),
  client: once(named('clients create NAME')),
  'new-client': named('clients create NAME'),
  user: once(named('users create NAME --generate')),
  reader: async (workshop) => {
    const name = await named('users create NAME --generate')(workshop);
    await workshop.run(`permissions grant {actor} ${name} READ`);
    return name;
  },
  snapshot: once(named('snapshot create NAME')),
  'new-snapshot': named('snapshot create NAME'),
  'new-user': named('users create NAME --generate'),
  tenant: once(named('tenants create NAME')),
  ana: once(async ({ run }) => {
    await run('users create ana --password-stdin', ANA_PASSWORD);
    return 'ana';
  }),
  /** An address that ends with the code of a login. */
  code: async ({ run }) => {
    const { url } = JSON.parse(await run('auth authorize-url --json')) as { url: string };
    const stopAt = new URL(url).searchParams.get('redirect_uri') ?? '';
    return (await visit(url, { stopAt })).at(-1)?.url ?? '';
  },
  token: printed('auth token'),
  'running-instance': async ({ run }) => {
    await run('up --instance spare --port auto');
    return 'spare';
  },
  'virtual-instance': async ({ run }) => {
    await run('up --instance moved --port auto --virtual-clock');
    return 'moved';
  },
  'stopped-instance': async ({ run }) => {
    await run('down --instance spare');
    return 'spare';
  },
};

const GIVER = `const { _svc_api_server: at, _svc_actor_id: actor, _svc_execution_id: id, _svc_access_token: token } = process.env;
const headers = { authorization: 'Bearer ' + token };
const { status } = await fetch(at + '/actors/v2/' + actor + '/executions/' + id + '/results', { method: 'POST', headers, body: '{"given":1}' });
process.exitCode = status === 200 ? 0 : 1;
`;

/** Fixtures that need no service: files and contexts. */
export const filesIn = (folder: string): Readonly<Record<string, Fixture>> => {
  const place = (name: string, files: Readonly<Record<string, string>>): string => {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(own, file), text);
    return own;
  };
  const image = shellActor(folder);
  const giver = place('giver', {
    'main.mjs': GIVER,
    'actor.json': JSON.stringify({ command: [process.execPath, 'main.mjs'] }),
  });
  const project = place('project', { 'actorctl.json': JSON.stringify({ name: 'project', image }) });
  const build = { context: '.', dockerfile: 'Dockerfile' };
  const building = place('building', {
    'actorctl.json': JSON.stringify({ name: 'building', image: 'building:1', build }),
    Dockerfile: 'FROM scratch\n',
  });
  const projectFile = (name: string): string =>
    join(
      place(`projects/${name}`, { 'actorctl.yaml': `project: ${name}\nactors:\n  ${name}: { image: '${image}' }\n` }),
      'actorctl.yaml',
    );
  const portable = { contexts: { carried: { base_url: 'http://127.0.0.1:9' } } };
  const file = join(place('files', { 'carried.json': JSON.stringify(portable) }), 'carried.json');
  return {
    image: () => image,
    'giving-image': () => `file://${giver}`,
    project: () => project,
    building: () => building,
    'project-file': ({ fresh }) => projectFile(fresh()),
    'test-file': ({ fresh }) => {
      const name = fresh();
      const file = projectFile(name).replace(/\.yaml$/, '.test.yaml');
      writeFileSync(file, `tests:\n  runs: { send: { to: ${name}, message: hi } }\n`);
      return file;
    },
    'applied-project': async ({ fresh, run }) => {
      const own = projectFile(fresh());
      await run(`apply -f ${own}`);
      return own;
    },
    carried: () => file,
    'new-folder': ({ fresh }) => join(folder, fresh()),
    new: ({ fresh }) => fresh(),
    context: named('context create NAME --base-url http://127.0.0.1:9'),
  };
};
