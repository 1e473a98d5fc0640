// Creates the client library's object for one engine, with options that avoid the library's defaults.
import * as http from 'node:http';
import * as https from 'node:https';
import { inspect } from 'node:util';
import type Dockerode from 'dockerode';
import type { Endpoint } from './discovery.ts';

/**
 * Hides an agent from the library's debug texts. The library formats the options of every call, even with debugging
 * off. With an agent, it formats all sockets, which took three quarters of the daemon's CPU time with eight runs in
 * progress.
 */
const hiddenFromDebug = <A extends http.Agent>(agent: A): A =>
  Object.assign(agent, { [inspect.custom]: () => '[agent]' });

export const createClient = async (endpoint: Endpoint): Promise<Dockerode> => {
  // Loading the library takes 116 ms and 18 MB, so it is loaded only when an engine is needed.
  const { default: Docker } = await import('dockerode');
  // Opening a connection costs more than most calls, so connections are reused. An idle one closes after 60 s, even
  // when its client is no longer used.
  const kept = { keepAlive: true, timeout: 60_000 };
  // The library fills missing options from DOCKER_HOST, so every option is set.
  if (endpoint.kind === 'socket') {
    const agent = hiddenFromDebug(new http.Agent(kept));
    const options = { socketPath: endpoint.path, host: '', protocol: 'http' as const, agent };
    return new Docker(options);
  }
  const { host, port, tls } = endpoint;
  const { verify, ...certificates } = tls ?? { verify: true };
  const secure = { ...certificates, rejectUnauthorized: verify, ...kept };
  const agent = hiddenFromDebug(tls ? new https.Agent(secure) : new http.Agent(kept));
  const options = { host, port, protocol: tls ? ('https' as const) : ('http' as const), agent };
  return new Docker(options);
};
