// Finds the container engine: the one that the user named, otherwise that of the current docker context, otherwise the
// first usual socket that responds.
import { createHash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import path from 'node:path';
import { parseJson, readField, readTextFile } from '../read-field.ts';
import { engineMessage, withTimeout } from './engine-error.ts';
import { type Product, productOf } from './products.ts';

export interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly verify: boolean;
}

export type Endpoint =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: Tls };

/** A location where an engine may be. `fault` says why it cannot be probed. */
export interface Candidate {
  readonly source: string;
  readonly address: string;
  readonly endpoint?: Endpoint;
  readonly fault?: string;
}

export interface EndpointInputs {
  /** Value of `--docker-host`. It overrides everything else. */
  readonly dockerHost?: string;
  /**
   * Environment variables. Used are DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_TLS_VERIFY DOCKER_CERT_PATH
   * XDG_RUNTIME_DIR.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export interface Answer {
  readonly endpoint: Endpoint;
  readonly address: string;
  readonly product: Product;
  readonly apiVersion?: string;
}

const PING_MS = 2000;
/** Podman runs several programs to report its version, which takes a second or more on a busy machine. */
const VERSION_MS = 15_000;
const INFO_MS = 30_000;

/** The certificates in a folder, with docker's file names. Undefined if it contains none. */
const tlsOf = async (folder: string, verify: boolean): Promise<Tls | undefined> => {
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readTextFile(path.join(folder, name))),
  );
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  return {
    verify,
    ca,
    cert,
    key,
  };
};

/** Parses an address in the format of DOCKER_HOST. Never throws: an unusable address gets a `fault`. */
export const parseHost = (source: string, address: string, tls?: Tls): Candidate => {
  const candidate = { source, address };
  const socket = /^unix:\/\/(\/.+)$/.exec(address)?.[1] ?? (address.startsWith('/') ? address : undefined);
  if (socket !== undefined) return { ...candidate, endpoint: { kind: 'socket', path: socket } };
  if (/^ssh:/.test(address))
    return { ...candidate, fault: 'ssh is not supported; forward the socket (ssh -L) and name it as unix:///path' };
  const text = /^(tcp|https?):\/\//.test(address) ? address.replace(/^tcp:/, 'http:') : `http://${address}`;
  if (/^(unix|npipe|fd):/.test(address) || !URL.canParse(text))
    return { ...candidate, fault: 'not an address like unix:///var/run/docker.sock or tcp://host:2376' };
  const url = new URL(text);
  const secure = tls ?? (url.protocol === 'https:' ? { verify: true } : undefined);
  const port = url.port === '' ? (secure ? 2376 : 2375) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { ...candidate, endpoint: { kind: 'tcp', host, port, tls: secure } };
};

const configFolder = (inputs: EndpointInputs): string =>
  inputs.env['DOCKER_CONFIG'] || path.join(inputs.home, '.docker');

/** The engine of a docker context. @see https://docs.docker.com/engine/manage-resources/contexts/ */
const contextOf = async (inputs: EndpointInputs, name: string): Promise<Candidate> => {
  const source = `docker context "${name}"`;
  const id = createHash('sha256').update(name).digest('hex');
  const contexts = path.join(configFolder(inputs), 'contexts');
  const meta = parseJson((await readTextFile(path.join(contexts, 'meta', id, 'meta.json'))) ?? '');
  const host = readField(meta, 'Endpoints', 'docker', 'Host');
  if (typeof host !== 'string') return { source, address: name, fault: 'there is no such context' };
  const verify = readField(meta, 'Endpoints', 'docker', 'SkipTLSVerify') !== true;
  return parseHost(source, host, await tlsOf(path.join(contexts, 'tls', id, 'docker'), verify));
};

const usualSockets = (inputs: EndpointInputs): readonly Candidate[] => {
  const runtime = inputs.env['XDG_RUNTIME_DIR'];
  const inHome = (...parts: string[]) => path.join(inputs.home, ...parts);
  const places: readonly (readonly [string, string])[] = [
    ['Docker', '/var/run/docker.sock'],
    ...(runtime ? [['rootless Docker', path.join(runtime, 'docker.sock')] as const] : []),
    ['Docker Desktop', inHome('.docker', 'run', 'docker.sock')],
    ['Docker Desktop', inHome('.docker', 'desktop', 'docker.sock')],
    ['Colima', inHome('.colima', 'default', 'docker.sock')],
    ['Colima', inHome('.config', 'colima', 'default', 'docker.sock')],
    ['OrbStack', inHome('.orbstack', 'run', 'docker.sock')],
    ['Rancher Desktop', inHome('.rd', 'docker.sock')],
    ['Lima', inHome('.lima', 'docker', 'sock', 'docker.sock')],
    ...(runtime ? [['rootless Podman', path.join(runtime, 'podman', 'podman.sock')] as const] : []),
    ['Podman', '/run/podman/podman.sock'],
    ['Podman', inHome('.local', 'share', 'containers', 'podman', 'machine', 'podman.sock')],
  ];
  return places.map(([source, file]) => parseHost(source, `unix://${file}`));
};

/**
 * The locations to try, in order. A named address or context is the only one; otherwise the current context comes
 * before the usual sockets.
 */
export const candidates = async (inputs: EndpointInputs): Promise<readonly Candidate[]> => {
  const named = inputs.dockerHost || inputs.env['DOCKER_HOST'];
  if (named) {
    const verify = Boolean(inputs.env['DOCKER_TLS_VERIFY']);
    const folder = inputs.env['DOCKER_CERT_PATH'] || (verify ? configFolder(inputs) : undefined);
    const tls = folder === undefined ? undefined : await tlsOf(folder, verify);
    return [parseHost(inputs.dockerHost ? '--docker-host' : 'DOCKER_HOST', named, tls)];
  }
  const wanted = inputs.env['DOCKER_CONTEXT'];
  if (wanted && wanted !== 'default') return [await contextOf(inputs, wanted)];
  const current = wanted
    ? undefined
    : readField(
        parseJson((await readTextFile(path.join(configFolder(inputs), 'config.json'))) ?? ''),
        'currentContext',
      );
  const first =
    typeof current === 'string' && !['', 'default'].includes(current) ? [await contextOf(inputs, current)] : [];
  return [...first, ...usualSockets(inputs)];
};

const addressOf = (endpoint: Endpoint): string =>
  endpoint.kind === 'socket' ? `unix://${endpoint.path}` : `tcp://${endpoint.host}:${endpoint.port}`;

const get = (endpoint: Endpoint, file: '/_ping' | '/version' | '/info', signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const options: https.RequestOptions = {
      ...(endpoint.kind === 'socket'
        ? { socketPath: endpoint.path, host: 'localhost' }
        : { host: endpoint.host, port: endpoint.port }),
      path: file,
      agent: false,
      signal,
    };
    const answered = (response: http.IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(Buffer.concat(chunks).toString())
          : reject(new Error(`the response has HTTP status ${response.statusCode}`)),
      );
    };
    const tls = endpoint.kind === 'tcp' ? endpoint.tls : undefined;
    const { verify, ...certificates } = tls ?? { verify: true };
    const request = tls
      ? https.get({ ...options, ...certificates, rejectUnauthorized: verify }, answered)
      : http.get(options, answered);
    request.on('error', reject);
  });

/** @throws Error when the engine does not answer within two seconds */
export const pingEngine = async (endpoint: Endpoint, signal?: AbortSignal): Promise<void> => {
  await withTimeout(PING_MS, signal, (own) => get(endpoint, '/_ping', own));
};

/** Pings the engine and asks for its version. @throws Error when no engine for Linux containers answers */
export const probeEngine = async (endpoint: Endpoint, signal?: AbortSignal): Promise<Answer> => {
  await pingEngine(endpoint, signal);
  const said = parseJson(await withTimeout(VERSION_MS, signal, (own) => get(endpoint, '/version', own)));
  const version = readField(said, 'Version');
  if (typeof version !== 'string') throw new Error('the program that responds is not a container engine');
  const system = readField(said, 'Os');
  if (system !== undefined && system !== 'linux')
    throw new Error(`the engine runs ${String(system)} containers, not Linux ones`);
  const apiVersion = readField(said, 'ApiVersion');
  return {
    endpoint,
    address: addressOf(endpoint),
    product: productOf(readField(said, 'Components', '0', 'Name'), version),
    ...(typeof apiVersion === 'string' && { apiVersion }),
  };
};

/** Asks the engine about itself and its machine. @throws Error when it does not respond in time */
export const engineInfo = async (endpoint: Endpoint, signal?: AbortSignal): Promise<unknown> =>
  parseJson(await withTimeout(INFO_MS, signal, (own) => get(endpoint, '/info', own)));

const probeFault = (candidate: Candidate, error: unknown): string => {
  const code = readField(error, 'code');
  if (code === 'ENOENT') return 'the socket does not exist';
  if (code === 'ECONNREFUSED') return 'no program listens there';
  if (code === 'EACCES')
    return 'permission denied; add yourself to the group that owns the socket (usually docker) and log in again';
  return candidate.fault ?? engineMessage(error);
};

/** Returns the first engine that responds, or a reason that lists every location and its failure. Never throws. */
export const findEngine = async (
  places: readonly Candidate[],
  signal?: AbortSignal,
): Promise<{ readonly answer: Answer } | { readonly reason: string }> => {
  const answers = await Promise.all(
    places.map(async (candidate) => {
      try {
        if (!candidate.endpoint) throw new Error(candidate.fault);
        return { candidate, answer: await probeEngine(candidate.endpoint, signal) };
      } catch (error) {
        return { candidate, why: probeFault(candidate, error) };
      }
    }),
  );
  for (const { answer } of answers) if (answer) return { answer };
  const tried = new Map<string, string[]>();
  for (const { candidate, why } of answers)
    tried.set(why ?? '', [...(tried.get(why ?? '') ?? []), `${candidate.address} (${candidate.source})`]);
  const said = [...tried].map(([why, where]) => `${where.join(', ')}: ${why}`).join('; ');
  return { reason: `no container engine answers. Tried ${said}. Start Docker, or name its address with DOCKER_HOST.` };
};
