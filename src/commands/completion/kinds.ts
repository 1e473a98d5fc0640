// What each argument and each flag value names, so that completion knows what to offer.
import { eventTypes, executionStatuses, grants, roles } from '../../contract/for-client.ts';
import { levels } from '../../contract/operation.ts';

/** Things whose names are read from the service or from files of this machine. */
export type Named =
  | 'actor'
  | 'actor or alias'
  | 'actor or execution'
  | 'actor, alias or config'
  | 'alias'
  | 'client'
  | 'config'
  | 'context'
  | 'delivery'
  | 'event'
  | 'execution'
  | 'instance'
  | 'login'
  | 'nonce'
  | 'profile'
  | 'running execution'
  | 'snapshot'
  | 'tenant'
  | 'time zone'
  | 'user'
  | 'version'
  | 'worker';

/** `free` is text that nothing can be offered for. */
export type Kind =
  | { readonly is: 'named'; readonly what: Named }
  | { readonly is: 'words'; readonly words: readonly string[] }
  | { readonly is: 'files' | 'folders' | 'free' };

const named = (what: Named): Kind => ({ is: 'named', what });
const words = (offered: readonly string[]): Kind => ({ is: 'words', words: offered });
const files: Kind = { is: 'files' };
const folders: Kind = { is: 'folders' };
const free: Kind = { is: 'free' };

/** Several kinds take turns in arguments that repeat. */
type Turns = readonly [Kind, ...Kind[]];

const argumentKinds: Readonly<Record<string, Kind | Turns>> = {
  actor: named('actor'),
  actors: named('actor'),
  alias: named('alias'),
  'aliases create alias': free,
  client: named('client'),
  'clients name': named('client'),
  'clients create name': free,
  'clock advance duration': words(['1h', '1d', '1w', '1mo', '1y']),
  'clock set instant': free,
  'completion shell': words(['bash', 'zsh', 'fish', 'powershell']),
  'configs name': named('config'),
  'configs names': named('config'),
  'configs create name': free,
  'configs set pairs': free,
  'context name': named('context'),
  'context create name': free,
  'context rename to': free,
  'context export file': files,
  'context import file': files,
  'cron set schedule': free,
  deliveries: named('delivery'),
  event: named('event'),
  'events emit type': free,
  execution: named('execution'),
  'executions halt execution': named('running execution'),
  executions: named('execution'),
  folder: folders,
  image: folders,
  level: words(levels),
  nonce: named('nonce'),
  'permissions target': named('actor, alias or config'),
  'permissions user': named('profile'),
  'permissions grant grants': [named('profile'), words(levels)],
  'nonces target': named('actor or alias'),
  'links target': named('actor'),
  'actors check target': named('actor'),
  targets: named('actor or execution'),
  'profiles name': named('profile'),
  'auth switch user': named('login'),
  'snapshot name': named('snapshot'),
  'snapshot names': named('snapshot'),
  'snapshot create name': free,
  'backup file': files,

  source: words(['-']),
  'search query': free,
  'state restore version': named('version'),
  'tenants id': named('tenant'),
  'tenants create id': free,
  'users name': named('user'),
  'users create name': free,
  'webhooks set url': free,
  'workers scale number': free,
  worker: named('worker'),
  'api request': words(['routes', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
};

const statuses = words(executionStatuses);

const flagKinds: Readonly<Record<string, Kind>> = {
  '--actor': named('actor'),
  '--if-actor': named('actor'),
  '--link': named('actor'),
  '--share': named('actor'),
  '--backup-on-exit': files,
  '--client': named('client'),
  '--config': named('config'),
  '--context': named('context'),
  'context create --from': named('context'),
  '--cursor-file': files,
  '--data-dir': folders,
  '--dir': folders,
  '--env-file': files,
  '--execution': named('execution'),
  '--file': files,
  '--input': files,
  '--import': files,
  '--report': files,
  '--instance': named('instance'),
  '--output-file': files,
  '--reassign-to': named('user'),
  '--sample': files,
  '--save': folders,
  '--tenant': named('tenant'),
  '--token-file': files,
  '--tz': named('time zone'),
  '--write-env': files,
  'configs export --to': files,
  'state diff --from': named('version'),
  'state diff --to': named('version'),
  'state get --version': named('version'),
  'events tail --type': words(eventTypes),
  'events list --type': words(eventTypes),
  'events tail --exit-on': words(eventTypes),
  'webhooks listen --exit-on': words(eventTypes),
  'webhooks listen --expect': words(eventTypes),
  'executions list --status': statuses,
  'executions wait --for': statuses,
  'clients create --grant': words(grants),
  'clients update --grant': words(grants),
  '--role': words(roles),
  'logout --user': named('login'),
};

const COMMAS = new Set(['events --type', 'events --actor', 'clients --grant', 'users --role']);

/** True if the value of a flag is a list with commas. */
export const takesCommas = (path: string, flag: string): boolean => COMMAS.has(`${path.split(' ')[0] ?? ''} ${flag}`);

const find = <T>(table: Readonly<Record<string, T>>, path: string, name: string): T | undefined => {
  const keys = [`${path} ${name}`, `${path.split(' ')[0] ?? ''} ${name}`, name];
  const key = keys.find((each) => Object.hasOwn(table, each));
  return key === undefined ? undefined : table[key];
};

const isTurns = (kind: Kind | Turns): kind is Turns => Array.isArray(kind);

/** @param turn how many values the argument has already, if it repeats */
export const kindOfArgument = (
  path: string,
  name: string,
  choices: readonly string[] | undefined,
  turn: number,
): Kind | undefined => {
  if (choices) return words(choices);
  const kind = find(argumentKinds, path, name);
  return kind !== undefined && isTurns(kind) ? kind[turn % kind.length] : kind;
};

/** The kind of the value of a flag. A flag that this file does not name takes free text. */
export const kindOfFlag = (path: string, flag: string, choices: readonly string[] | undefined): Kind =>
  choices ? words(choices) : (find(flagKinds, path, flag) ?? free);
