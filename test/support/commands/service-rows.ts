// The matrix of commands: configs, sharing, events, links, webhooks, people and administration.
import { EVERYTHING, NEW_NAME, NO_ARGUMENT, NO_NAME, none, type Row, type Rows, works } from './row.ts';

/** A command about one resource, which is its first argument. */
const of = (line: string, rest: Partial<Row> = {}): Row => ({
  success: line,
  json: 'value',
  wrongName: line.replace(/\{[a-z-]+\}/, 'nosuch'),
  noArgument: 'usage',
  ...rest,
});

/** A command that lists. */
const list: Row = { success: '', json: 'value', wrongName: NO_NAME, noArgument: NO_ARGUMENT };

const ENGINE = none('it needs a container engine: test/integration/cli-project/admin-sources.test.ts');

const configRows: Rows = {
  'configs create': of('{new} --value 1', { wrongName: '{new} --value 1 --share nosuch' }),
  'configs list': list,
  'configs show': of('{config}'),
  'configs update': of('{config} --value {"a":2}'),
  'configs set': of('{config} a={new}'),
  'configs share': of('{new-config} {actor}'),
  'configs unshare': of('{shared-config} {actor}'),
  'configs delete': of('{new-config} --yes'),
  'configs export': of('{config}', { json: none('it prints a document in JSON'), noArgument: EVERYTHING }),
  'configs rotate-key': { ...list, notLoggedIn: works('the management socket asks for no login') },
};

const sharingRows: Rows = {
  'aliases create': of('{new} {actor}', { wrongName: '{new} nosuch' }),
  'aliases list': list,
  'aliases show': of('{alias}'),
  'aliases set': of('{alias} {actor}'),
  'aliases delete': of('{new-alias} --yes'),
  'permissions list': of('{actor}'),
  'permissions grant': of('{actor} {user} READ'),
  'permissions revoke': of('{actor} {reader} --yes'),
  'permissions can': of('dev UPDATE {actor}', { wrongName: 'dev READ nosuch' }),
  'nonces create': of('{actor}'),
  'nonces list': of('{actor}'),
  'nonces show': of('{actor} {nonce}'),
  'nonces delete': of('{actor} {nonce} --yes'),
};

const eventRows: Rows = {
  'events tail': {
    success: '--no-follow --since 1h',
    json: 'lines',
    wrongName: '--no-follow --actor nosuch',
    noArgument: none('it goes on until it is interrupted'),
  },
  'events list': { ...list, wrongName: '--actor nosuch' },
  'events show': of('{event}'),
  'events types': {
    ...list,
    daemonDown: works('the types are part of the program'),
    notLoggedIn: works('the types are part of the program'),
  },
  'events emit': of('CHECKED --actor {actor}', { wrongName: 'CHECKED --actor nosuch' }),
  'events redeliver': of('{linked-event} --to link', { wrongName: 'nosuch --to link' }),
  'links list': list,
  'links set': of('{linked} {actor}'),
  'links show': of('{linked}'),
  'links unset': of('{new-actor}'),
  'links check': of('{linked} {actor}'),
  'links graph': of('{linked}', { noArgument: EVERYTHING }),
  'webhooks set': of('{actor} {hook}'),
  'webhooks show': of('{hooked}'),
  'webhooks unset': of('{new-actor}'),
  'webhooks listen': {
    success: { line: '--actor {hooked} --max 1', meanwhile: 'webhooks test {hooked}' },
    json: 'lines',
    wrongName: '--actor nosuch',
    noArgument: none('it goes on until it is interrupted'),
  },
  'webhooks test': of('{hooked}'),
  'webhooks deliveries': of('{hooked}', { noArgument: EVERYTHING }),
  'webhooks delivery': of('{delivery}'),
  'webhooks redeliver': of('{delivery}'),
};

const peopleRows: Rows = {
  'admin actors': list,
  'admin workers': list,
  'admin executions': list,
  'admin example': list,
  'admin folders': {
    ...list,
    wrongName: { because: 'it is a relative path', line: 'nosuch', code: 2, says: /nosuch.*absolute/ },
  },
  'admin images': {
    ...list,
    success: ENGINE,
    json: ENGINE,
    daemonDown: { because: 'the daemon asks the engine', line: '', code: 9, says: /try: actorctl up/ },
    notLoggedIn: { because: 'the service refuses first', line: '', code: 4, says: /actorctl login/ },
  },
  'clients create': of('{new}', { wrongName: NEW_NAME }),
  'clients list': list,
  'clients show': of('{client}'),
  'clients update': of('{client} --description {new}'),
  'clients rotate': of('{client} --yes'),
  'clients delete': of('{new-client} --yes'),
  'users create': of('{new} --generate', { wrongName: NEW_NAME }),
  'users list': list,
  'users show': of('{user}'),
  'users update': of('{user} --first-name {new}'),
  'users passwd': of('{user} --generate'),
  'users delete': of('{new-user} --yes'),
  'profiles list': list,
  'profiles show': of('{user}', { noArgument: none('without an argument it shows your own profile') }),
  'tenants create': of('{new}', { wrongName: NEW_NAME }),
  'tenants list': { ...list, notLoggedIn: works('a login needs to know the tenants') },
  'tenants show': of('{tenant}'),
  'tenants update': of('{tenant} --name {new}'),
};

/** Rows of commands about the rest of the service. */
export const serviceRows: Rows = { ...configRows, ...sharingRows, ...eventRows, ...peopleRows };
