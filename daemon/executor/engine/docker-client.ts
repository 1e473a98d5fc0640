// The client library over the connection to one engine: what it must be told, and what it must not be let do.
import * as http from 'node:http';
import * as https from 'node:https';
import { inspect } from 'node:util';
import type Dockerode from 'dockerode';
import type { Endpoint } from './discovery.ts';

/**
 * The library makes a text of the options of every call, whether or not anybody debugs it: with an agent that is a text of all its sockets,
 * and took three quarters of the daemon's CPU time with eight runs under way.
 */
const untold = <A extends http.Agent>(agent: A): A => Object.assign(agent, { [inspect.custom]: () => '[agent]' });

/** The client library, loaded when an engine is first needed, for the engine at `endpoint`. Nothing is asked of it yet. */
export const createClient = async (endpoint: Endpoint): Promise<Dockerode> => {
  // 116 ms and 18 MB: only when the engine is first needed.
  const { default: Docker } = await import('dockerode');
  // Opening a connection costs more than most calls; an idle one goes after a while, also when its client was dropped.
  const kept = { keepAlive: true, timeout: 60_000 };
  // The library would mix what DOCKER_HOST says into options that are left out, so each is given.
  if (endpoint.kind === 'socket') {
    const agent = untold(new http.Agent(kept));
    const options = { socketPath: endpoint.path, host: '', protocol: 'http' as const, agent };
    return new Docker(options);
  }
  const { host, port, tls } = endpoint;
  const { verify, ...certificates } = tls ?? { verify: true };
  const secure = { ...certificates, rejectUnauthorized: verify, ...kept };
  const agent = untold(tls ? new https.Agent(secure) : new http.Agent(kept));
  const options = { host, port, protocol: tls ? ('https' as const) : ('http' as const), agent };
  return new Docker(options);
};
