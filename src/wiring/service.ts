// Connects a command to its service: the daemon of its instance, or the address of its context.
import type { Address } from '../client/address.ts';
import { createManage } from '../client/manage.ts';
import { createServiceClock } from '../client/service-clock.ts';
import { createTransport } from '../client/transport.ts';
import { CliFailure } from '../failure.ts';
import type { Local } from '../local/daemon/instance-daemon.ts';
import { type Paths, paths } from '../local/paths.ts';
import type { Settings } from '../local/settings/settings.ts';
import type { ProcessContext } from '../process-context.ts';
import type { Output } from '../ui/output.ts';

/** The inputs from which the parts of a context are created. */
export interface Basis {
  readonly settings: Settings;
  readonly places: Paths;
  readonly around: ProcessContext;
}

export type Reach = ReturnType<typeof createReach>;

/** Sends requests, and asks the daemon of this instance for its origin. */
export const createReach = ({ settings, places, around }: Basis) => {
  let own: Promise<string> | undefined;
  /**
   * Asks the local daemon for its origin. The response also contains its time. The daemon is asked again only after a
   * failure. The origin is not read from a file: a stored address may now belong to another program, which must not
   * receive a token.
   */
  const ownOrigin = (): Promise<string> => {
    own ??= manage('daemon.origin').then(
      ({ baseUrl }) => baseUrl,
      (error: unknown) => {
        own = undefined;
        throw error;
      },
    );
    return own;
  };
  const serviceClock = createServiceClock(Date.now, async () => {
    if (settings.baseUrl === undefined) await ownOrigin();
  });
  const transport = createTransport({
    timeoutMs: settings.requestTimeoutMs,
    isLocal: settings.baseUrl === undefined,
    heard: serviceClock.heard,
    ...(settings.debug && { trace: (line: string) => void around.stderr.write(`${line}\n`) }),
  });
  const manage = createManage(transport, places.socket, around.signal);
  return { ownOrigin, serviceClock, transport, manage };
};

/** Finds the addresses of the service, and starts the daemon if the settings say so. */
export const createAddresses = ({ settings, places, around }: Basis, { manage, ownOrigin }: Reach, output: Output) => {
  const local = async (): Promise<Local> => {
    const { createLocal } = await import('../local/daemon/instance-daemon.ts');
    return createLocal({
      paths: places,
      manage,
      settings,
      daemon: around.daemon,
      env: around.env,
      signal: around.signal,
    });
  };
  const startDaemon = async (): Promise<string> => {
    const { status, dropped } = await (await local()).start({}, 30_000);
    for (const line of dropped) output.note(line);
    return status.baseUrl;
  };
  let known: Promise<string> | undefined;
  const find = async (): Promise<string> => {
    if (settings.baseUrl !== undefined) return settings.baseUrl;
    try {
      return await ownOrigin();
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code !== 'DAEMON_NOT_RUNNING' || !settings.autostart) throw error;
      return startDaemon();
    }
  };
  const origin = (): Promise<string> => {
    known ??= find();
    return known;
  };
  const address: Address = settings.baseUrl ?? { socket: places.socket };
  const addressOfAccount = async (account: string): Promise<Address> => {
    if (account === settings.account) {
      await origin();
      return address;
    }
    const [, kind, name = ''] = /^([a-z]+)\/(.*)$/s.exec(account) ?? [];
    if (kind === 'url') return name;
    if (kind === 'local') return { socket: paths({ ...around, instance: name }).socket };
    const { contextNamed, readContexts } = await import('../local/contexts.ts');
    const { base_url: named } = contextNamed(await readContexts(places.contextsFile), name);
    if (named !== undefined) return named.replace(/\/$/, '');
    throw new CliFailure('NOT_FOUND', `the context "${name}" has no address`);
  };
  const { authUrl } = settings;
  const authOrigin = authUrl === undefined ? origin : () => Promise.resolve(authUrl);
  return { local, startDaemon, origin, authOrigin, address, addressOfAccount };
};
