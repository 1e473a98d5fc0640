// The login of a command, and the requests that use its token.
import path from 'node:path';
import { type Call, createCall, createRequest } from '../client/call.ts';
import { createConnectionNotes } from '../client/connection-notes.ts';
import { createAskAsClient, createGrant } from '../client/grant.ts';
import { tokenSourceOf } from '../client/identity.ts';
import { createSession } from '../client/session.ts';
import { createStartingTransport } from '../client/starting-transport.ts';
import type { Stream } from '../client/stream.ts';
import type { CommandContext } from '../context.ts';
import { cliClientId } from '../contract/cli-client.ts';
import { CliFailure } from '../failure.ts';
import { createCredentials } from '../local/credentials/credentials.ts';
import type { OnBlank } from '../local/json-file.ts';
import { isOn } from '../local/settings/is-on.ts';
import { requireTarget } from '../local/settings/require-target.ts';
import type { Output } from '../ui/output.ts';
import type { Basis, createAddresses, Reach } from './service.ts';

export const credentialsOf = ({ settings, places, around }: Basis, output: Pick<Output, 'warn'>, onBlank: OnBlank) =>
  createCredentials({
    file: places.credentialsFile,
    onBlank,
    onFallback: (reason) => {
      // A CI job, and each new folder of ACTORCTL_HOME, would repeat the warning.
      if (isOn(around.env['CI']) || around.env['ACTORCTL_HOME']) return;
      output.warn(
        `the keychain is not used (${reason}): logins are stored in ${places.credentialsFile}, readable only by you. To try the keychain again: actorctl login --store keychain`,
      );
    },
    keychain: {
      ask: async (asked) => {
        const { createKeychain } = await import('../local/credentials/keychain.ts');
        return createKeychain({ helper: around.keychainHelper, env: around.env, signal: around.signal }).ask(asked);
      },
    },
    choice: settings.credentialStore,
    platform: around.platform,
    env: around.env,
    signal: around.signal,
  });

/** The first tenant of the service. @throws CliFailure AUTH_REQUIRED if the service has no list of tenants */
const firstTenant = async (call: Call): Promise<string> => {
  let cause: unknown;
  try {
    const [first] = await call('tenants.list', { authentication: 'none' });
    if (first !== undefined) return first.code;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.extras.httpStatus === undefined) throw error;
    cause = error;
  }
  const hint = 'actorctl login --client ID --client-secret-stdin';
  throw new CliFailure('AUTH_REQUIRED', 'this service needs an OAuth client that you registered', { hint, cause });
};

/** Creates the functions that send requests with and without the login. */
export const createRequests = (
  { settings, places, around }: Basis,
  { transport, manage, serviceClock }: Reach,
  { address, origin, startDaemon }: ReturnType<typeof createAddresses>,
  credentials: ReturnType<typeof credentialsOf>,
  output: Output,
) => {
  const { signal } = around;
  const starting = settings.autostart
    ? createStartingTransport({ transport, socket: places.socket, start: startDaemon })
    : transport;
  const askAsClient = createAskAsClient({ transport: starting, address: settings.authUrl ?? address, signal });
  const grant = createGrant(askAsClient);
  let tokenFile: Promise<() => Promise<Buffer>> | undefined;
  const session = createSession({
    settings,
    credentials,
    grant,
    ...(settings.baseUrl === undefined && {
      makeClient: async () => {
        await origin();
        const { client_id, client_secret } = await manage('daemon.client');
        return { id: client_id, secret: client_secret };
      },
    }),
    publicClient: async () => ({ id: cliClientId(settings.tenant ?? (await firstTenant(call))) }),
    readTokenFile: async (file) => {
      tokenFile ??= import('../local/user-files.ts').then(({ rereading }) => rereading(file, 64 * 1024, around));
      const readAgain = await tokenFile;
      return (await readAgain()).toString('utf8');
    },
    lockFile: path.join(places.configDir, `session-${encodeURIComponent(settings.account)}.lock`),
    clock: serviceClock,
    signal,
  });
  /**
   * The token of a request. A missing or expired token is reported only after the local daemon was reached or
   * started: without the daemon a login does not help, and the daemon supplies the time for the expiry check.
   */
  const token = async (): Promise<string> => {
    try {
      return await session.token();
    } catch (error) {
      const isMissing = error instanceof CliFailure && ['AUTH_REQUIRED', 'TOKEN_EXPIRED'].includes(error.code);
      if (!isMissing || settings.baseUrl !== undefined) throw error;
      await origin();
      return session.token();
    }
  };
  const sender = { token, renew: session.renew };
  const checked: typeof starting = (target, asked) => {
    if (asked.method !== 'GET') requireTarget(settings);
    return starting(target, asked);
  };
  const request = createRequest({
    transport: checked,
    address,
    session: sender,
    tokenFrom: tokenSourceOf(settings),
    signal,
  });
  const connection = createConnectionNotes(output.note);
  const stream: Stream = async function* (...input) {
    const { createStream } = await import('../client/stream.ts');
    const open = createStream({
      request,
      ...(settings.nonce && { nonce: settings.nonce }),
      connection,
      now: Date.now,
      signal,
      isLocal: settings.baseUrl === undefined,
    });
    yield* open(...input);
  };
  const call = createCall(request, output.received, settings.nonce);
  const retryingCall: CommandContext['retryingCall'] =
    (limits) =>
    async (...input) => {
      const { createRetryingCall } = await import('../client/retrying-call.ts');
      const parts = { call, connection, now: Date.now, signal };
      return createRetryingCall({ ...parts, isLocal: settings.baseUrl === undefined }, limits)(...input);
    };
  return { askAsClient, grant, session, request, stream, call, retryingCall, connection };
};
