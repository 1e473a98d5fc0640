// Sends the requests of the model to the real service, and translates the responses into the names of the model.
import { FAILURE_CODE_HEADER } from '../../../src/contract/failure-codes.ts';
import { type ActorService, type Name, people } from '../service/actor-service.ts';
import type { Call, Answer as ModelAnswer } from '../service/call.ts';
import type { Answer, Request, World } from './actor-model-world.ts';

interface Sent extends Call {
  readonly method: string;
  readonly path: string;
}

/** Placeholders for resources that do not exist yet. */
const NOBODY = { '#': 'Nobody0000000', '~': 'DEV_Nobody0000000' } as const;

/** Maps names of the model to ids of this service. */
export interface Dictionary {
  /** Ids of resources by their name in the model. */
  readonly ids: Map<string, string>;
  /** Secrets of nonces by their name in the model. */
  readonly secrets: Map<string, string>;
}
export const emptyDictionary = (): Dictionary => ({ ids: new Map(), secrets: new Map() });

const real = ({ ids }: Dictionary, name: string): string =>
  ids.get(name) ?? (name.startsWith('#') ? NOBODY['#'] : name.startsWith('~') ? NOBODY['~'] : name);

/** The same value, with every id replaced by its name in the model. */
export const inModelWords = ({ ids }: Dictionary, value: unknown): unknown => {
  let text = JSON.stringify(value) ?? 'null';
  for (const [name, id] of ids) text = text.replaceAll(id, name);
  return JSON.parse(text);
};

const version = (ifVersion: number | undefined) =>
  ifVersion === undefined ? {} : { headers: { 'if-match': `"${ifVersion}"` } };
const jsonOf = (text: string): Call => ({ body: text, headers: { 'content-type': 'application/json' } });

const request = (asked: Request, words: Dictionary): Sent => {
  const name = (of: string) => encodeURIComponent(real(words, of));
  const at =
    'actor' in asked
      ? `/actors/v2/${name(asked.actor)}`
      : 'alias' in asked
        ? `/actors/v2/aliases/${name(asked.alias)}`
        : `/actors/v2/configs/${'config' in asked ? name(asked.config) : ''}`;
  const get = (rest: string): Sent => ({ method: 'GET', path: rest });
  const post = (rest: string, json: object): Sent => ({ method: 'POST', path: rest, json });
  const remove = (rest: string): Sent => ({ method: 'DELETE', path: rest });
  const link = 'link' in asked && asked.link !== undefined ? { link: real(words, asked.link) } : {};
  const state = 'state' in asked && asked.state !== undefined ? { state: JSON.parse(asked.state) } : {};
  const described = ({ config, value, actors, secret }: Extract<Request, { value: string }>): Call =>
    jsonOf(
      `{"name":${JSON.stringify(config)},"value":${value},"is_secret":${secret},"actors":${JSON.stringify(
        actors.map((actor) => real(words, actor)).join(','),
      )}}`,
    );
  switch (asked.does) {
    case 'actors.create':
      return post('/actors/v2', { image: 'alpine', stateless: asked.stateless, ...link, ...state });
    case 'actors.update': {
      const { image, description } = asked;
      return { method: 'PUT', path: at, json: { image, ...(description && { description }), ...link, ...state } };
    }
    case 'actors.list':
      return get('/actors/v2');
    case 'aliases.list':
      return get('/actors/v2/aliases');
    case 'configs.list':
      return get('/actors/v2/configs');
    case 'actors.show':
    case 'aliases.show':
    case 'configs.show':
      return get(at);
    case 'actors.delete':
    case 'aliases.delete':
    case 'configs.delete':
      return remove(at);
    case 'aliases.create':
      return post('/actors/v2/aliases', { alias: asked.alias, actorId: real(words, asked.target) });
    case 'aliases.update': {
      const { target, onlyFrom } = asked;
      const ifActorId = onlyFrom === undefined ? {} : { ifActorId: real(words, onlyFrom) };
      return { method: 'PUT', path: at, json: { actorId: real(words, target), ...ifActorId } };
    }
    case 'permissions.list':
    case 'alias-permissions.list':
    case 'config-permissions.list':
      return get(`${at}/permissions`);
    case 'permissions.grant':
    case 'alias-permissions.grant':
    case 'config-permissions.grant':
      return post(`${at}/permissions`, { user: asked.user, level: asked.level });
    case 'permissions.can':
    case 'alias-permissions.can':
    case 'config-permissions.can':
      return get(`${at}/permissions/${asked.user}?level=${asked.level}`);
    case 'nonces.list':
    case 'alias-nonces.list':
      return get(`${at}/nonces`);
    case 'nonces.create':
    case 'alias-nonces.create': {
      const { level, maxUses } = asked;
      return post(`${at}/nonces`, { ...(level && { level }), ...(maxUses && { maxUses }) });
    }
    case 'nonces.show':
    case 'alias-nonces.show':
      return get(`${at}/nonces/${name(asked.nonce)}`);
    case 'nonces.delete':
    case 'alias-nonces.delete':
      return remove(`${at}/nonces/${name(asked.nonce)}`);
    case 'configs.create':
      return { method: 'POST', path: '/actors/v2/configs', ...described(asked) };
    case 'configs.update': {
      const { headers, ...call } = described(asked);
      return { method: 'PUT', path: at, ...call, headers: { ...headers, ...version(asked.ifVersion).headers } };
    }
    case 'state.show':
      return get(`${at}/state`);
    case 'state.version':
      return get(`${at}/state/versions/${asked.version}`);
    case 'state.set': {
      const { headers, ...call } = jsonOf(asked.state);
      return {
        method: 'POST',
        path: `${at}/state`,
        ...call,
        headers: { ...headers, ...version(asked.ifVersion).headers },
      };
    }
    case 'state.restore':
      return { method: 'POST', path: `${at}/state/versions/${asked.version}`, ...version(asked.ifVersion) };
    case 'messages.send':
      return post(`${at}/messages`, { message: 'hi' });
    case 'messages.count':
      return get(`${at}/messages`);
    case 'messages.purge':
      return remove(`${at}/messages`);
  }
};

/** Stores the id of a new resource under its name in the model: the first, second … of its kind. */
const learn = (words: Dictionary, { does }: Request, made: World['made'], { result }: ModelAnswer): void => {
  const id = String(result['id']);
  if (does === 'actors.create') words.ids.set(`#${made.actors}`, id);
  if (!isNonceMade(does)) return;
  words.secrets.set(`~${made.nonces}`, id);
  words.ids.set(`~${made.nonces}`, id.slice(0, id.indexOf('_') + 14));
};
const isNonceMade = (does: Request['does']): boolean => does === 'nonces.create' || does === 'alias-nonces.create';

const ofActor = ['id', 'owner', 'stateless', 'description', 'link', 'image', 'revision', 'version', 'state'];
const ofNonce = ['id', 'owner', 'level', 'maxUses', 'currentUses', 'remainingUses', 'actorId', 'alias'];
/** The fields of a response that the model covers, by resource. */
const essentials: Readonly<Record<string, readonly string[]>> = {
  actors: ofActor,
  aliases: ['alias', 'actorId', 'owner'],
  nonces: ofNonce,
  'alias-nonces': ofNonce,
  configs: ['name', 'value', 'actors', 'isSecret', 'is_secret', 'owner', 'revision'],
  state: [...ofActor, 'stateVersion', 'updatedBy'],
  messages: ['messages', 'purged'],
};

/** JSON values as text, and the text `sealed` for a sealed value. */
const written = (name: string, value: unknown): unknown => {
  if (name !== 'value' && name !== 'state') return value;
  return typeof value === 'string' && value.startsWith('sealed:') ? 'sealed' : JSON.stringify(value);
};

const essence = (does: Request['does'], shown: unknown): unknown => {
  if (Array.isArray(shown)) return shown.map((each) => essence(does, each));
  if (typeof shown !== 'object' || shown === null) return shown;
  const [resource = '', verb] = does.split('.');
  // A permission map is compared completely, a permission check without its explanation.
  const known =
    essentials[resource] ?? (verb === 'can' ? ['user', 'has', 'needs', 'by', 'allowed'] : Object.keys(shown));
  return Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]) => (known.includes(name) ? [[name, written(name, value)]] : [])),
  );
};

/**
 * Sends a request to the service and returns the response in the names of the model.
 * @param made the number of resources so far; without it, a new resource gets no name
 */
export const askService = async (
  service: ActorService,
  words: Dictionary,
  asked: Request,
  made?: World['made'],
): Promise<Answer> => {
  const { method, path, ...call } = request(asked, words);
  const isNonce = asked.as.startsWith('~');
  const secret = isNonce ? (words.secrets.get(asked.as) ?? NOBODY['~']) : '';
  const response = await service.ask(isNonce ? undefined : (asked.as as Name), method, path, {
    ...call,
    headers: { ...call.headers, ...(isNonce && { 'x-nonce': secret }) },
  });
  const code = String(response.headers[FAILURE_CODE_HEADER]);
  // The service delays repeated use of wrong nonces. The model has no clock and therefore no delay.
  if (isNonce && code === 'THROTTLED') return { status: 401, code: 'AUTH_FAILED' };
  if (response.status !== 200) return { status: response.status, code };
  if (made) learn(words, asked, made, response);
  const { result } = response.json as { readonly result: unknown };
  // The secret of a nonce begins with its id, and is shown only in this response.
  const named = isNonceMade(asked.does) ? { ...Object(result), id: `~${made?.nonces ?? ''}` } : result;
  return { status: 200, result: essence(asked.does, inModelWords(words, named)) };
};

/** The users as the model sees them. */
export const users = Object.fromEntries(
  Object.entries(people).map(([as, { tenant, username, roles }]) => [
    as,
    { tenant, name: username, isAdmin: roles.some((role) => role === 'admin') },
  ]),
);
