// Login flows over the authorization endpoint: in a browser, by a pasted code, or entirely in the terminal.
import { type ClientCredentials, isClientRefused, type TokenResponse } from '../../client/grant.ts';
import { approve, probe } from '../../client/login/approve.ts';
import { challengeOf, newAttempt } from '../../client/login/attempt.ts';
import { authorizeUrl, codeOf, fitOf, issuerOf, parametersIn, tokenOf } from '../../client/login/authorize.ts';
import { listenForAnswer } from '../../client/login/listener.ts';
import type { CommandContext } from '../../context.ts';
import { CALLBACK_PORTS, redirectUriOf, tenantOfCliClient } from '../../contract/cli-client.ts';
import { CliFailure } from '../../failure.ts';
import { type Answer, awaitAnswer, type Flow, type PendingLogin, readerOf, TERMINAL } from './await-answer.ts';
import type { Narrate } from './explain-requests.ts';

/** Longest wait for the browser, in milliseconds. @see docs/cli.md#login */
export const ANSWER_MS = 5 * 60_000;

export interface BrowserLogin {
  readonly flow: Flow;
  /** A client other than the client of actorctl. */
  readonly client?: ClientCredentials;
  readonly callbackPort?: number;
  readonly showDialog: boolean;
  /** True to prompt for everything in the terminal and open no browser. */
  readonly terminal: boolean;
  /** True if the command line named the user, which approves the client of actorctl. */
  readonly isApproved: boolean;
  readonly browser: boolean;
  /** User name and password for a terminal login, if already known. */
  readonly username?: string;
  readonly password?: string;
  readonly narrate: Narrate;
}

const portsOf = ({ callbackPort }: Pick<BrowserLogin, 'callbackPort'>): readonly number[] =>
  callbackPort === undefined ? CALLBACK_PORTS : [callbackPort];

const noSuchClient = (tenant: string, origin: string): CliFailure =>
  new CliFailure('AUTH_FAILED', `the service at ${origin} has no client of actorctl for a tenant "${tenant}"`, {
    hint: 'check the tenant of the context and of --username, or use a client that you registered: actorctl login --client ID',
  });

/** Adds to an error which URIs to register at the client, or that the service does not have the fixed client. */
const explained = (error: unknown, { redirectUri, client, origin }: PendingLogin): unknown => {
  const tenant = tenantOfCliClient(client.id);
  if (tenant !== undefined && isClientRefused(error)) return noSuchClient(tenant, origin);
  if (!(error instanceof CliFailure) || error.code !== 'REDIRECT_URI_MISMATCH') return error;
  const registered = CALLBACK_PORTS.map(redirectUriOf);
  return new CliFailure('REDIRECT_URI_MISMATCH', `${redirectUri} is not registered for client ${client.id}`, {
    ...error.extras,
    hint: `register it, or one of the default URIs: ${registered.join(' ')}`,
    details: { redirect_uri: redirectUri, tried_by_default: registered },
  });
};

/**
 * Builds the authorization request and checks that the service accepts it. Replaces the client of actorctl only if
 * the service no longer knows it, because a replacement ends all logins of the client.
 */
export const prepare = async (
  context: CommandContext,
  login: BrowserLogin,
  redirectUri: string,
): Promise<PendingLogin> => {
  const { session, transport, signal, authOrigin } = context;
  const origin = await authOrigin();
  const issuer = await issuerOf(transport, origin, signal);
  const attempt = newAttempt();
  const ask = (client: ClientCredentials): PendingLogin => ({
    attempt,
    client,
    origin,
    redirectUri,
    expected: { state: attempt.state, ...(issuer !== undefined && { issuer }) },
    url: authorizeUrl({
      origin,
      clientId: client.id,
      redirectUri,
      responseType: login.flow === 'implicit' ? 'token' : 'code',
      state: attempt.state,
      ...(login.flow === 'authorization_code' && { challenge: challengeOf(attempt.verifier) }),
      showDialog: login.showDialog,
    }),
  });
  const checked = async (client: ClientCredentials): Promise<PendingLogin> => {
    const asked = ask(client);
    try {
      const location = await probe(transport, asked.url, signal);
      // A redirect before any login form can only report an error.
      if (location?.startsWith(`${redirectUri}?`)) codeOf(new URL(location).searchParams, asked.expected);
      return asked;
    } catch (error) {
      throw explained(error, asked);
    }
  };
  return login.client ? checked(login.client) : session.withOwnClient(checked);
};

/** Prompts for name, password and consent, and submits the forms of the service with them. */
const approveHere = async (context: CommandContext, login: BrowserLogin, asked: PendingLogin): Promise<Answer> => {
  const { prompt, output, transport, signal } = context;
  const { username, password } = login;
  login.narrate(`GET ${asked.origin}/authorize and its forms, filled in by actorctl`, new URL(asked.url).searchParams);
  let last = username;
  const address = await approve({
    transport,
    origin: asked.origin,
    url: asked.url,
    redirectUri: asked.redirectUri,
    signal,
    approver: {
      again: password === undefined,
      credentials: async (problem) => {
        if (problem !== undefined) output.warn(problem);
        last = username ?? (await prompt.text('User name:', '--username', last));
        return { username: last, password: password ?? (await prompt.secret('Password:', '--password-stdin')) };
      },
      consent: async (name = asked.client.id) =>
        login.isApproved || prompt.agree(`Let "${name}" act for ${last ?? 'you'} on ${asked.origin}?`),
    },
  });
  return { parameters: parametersIn(address) };
};

const isWrongCode = (error: unknown): boolean =>
  error instanceof CliFailure && error.extras.details?.['error'] === 'invalid_grant';

/** Prints the address on stderr, whatever the output format, and opens it in a browser if possible. */
const invite = async (
  context: CommandContext,
  login: BrowserLogin,
  { url, origin }: PendingLogin,
  port: number,
): Promise<void> => {
  const { output, browser, settings } = context;
  output.errorText(`Open this address to log in (context ${settings.context}):\n${url}\n`);
  const tunnel = browser.tunnel([Number(new URL(origin).port) || 443, port]);
  if (tunnel !== undefined) output.note(`Run this on your own machine, for its browser:\n${tunnel}`);
  // The login does not use a private page as `open` does, because many browsers cannot read such a file.
  // @see docs/security.md#what-is-not-protected
  const reason = login.browser ? await browser.open(url) : '--no-browser was given';
  if (reason !== undefined) output.note(`No browser was opened: ${reason}.`);
};

export const redeem = async (
  context: Pick<CommandContext, 'grant' | 'session'>,
  login: Pick<BrowserLogin, 'client' | 'narrate'>,
  { attempt, redirectUri }: Pick<PendingLogin, 'redirectUri' | 'attempt'>,
  code: string,
): Promise<TokenResponse> => {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: attempt.verifier,
  } as const;
  login.narrate('POST /token with client authentication', Object.entries(form));
  const { client } = login;
  return client ? context.grant(client, form) : context.session.withOwnClient((own) => context.grant(own, form));
};

const tokensOf = async (
  context: CommandContext,
  login: BrowserLogin,
  asked: PendingLogin,
  answer: Answer,
): Promise<TokenResponse> => {
  if ('parameters' in answer) login.narrate(`The response at ${asked.redirectUri}`, answer.parameters);
  if (login.flow === 'implicit') {
    return tokenOf('parameters' in answer ? answer.parameters : new URLSearchParams(), asked.expected);
  }
  // A pasted code has no state. The PKCE verifier proves that it belongs to this login.
  return redeem(context, login, asked, 'code' in answer ? answer.code : codeOf(answer.parameters, asked.expected));
};

export const obtainByBrowser = async (context: CommandContext, login: BrowserLogin): Promise<TokenResponse> => {
  const { signal } = context;
  const [first = CALLBACK_PORTS[0]] = portsOf(login);
  if (login.terminal) {
    const asked = await prepare(context, login, redirectUriOf(first));
    return tokensOf(context, login, asked, await approveHere(context, login, asked));
  }
  let asked: PendingLogin | undefined;
  const listener = await listenForAnswer({
    ports: portsOf(login),
    responseType: login.flow === 'implicit' ? 'token' : 'code',
    fits: (parameters) => (asked === undefined ? 'foreign' : fitOf(parameters, asked.expected, readerOf(login.flow))),
    timeoutMs: ANSWER_MS,
    signal,
  });
  try {
    asked = await prepare(context, login, listener.redirectUri);
    await invite(context, login, asked, listener.port);
    login.narrate(`GET ${asked.origin}/authorize, in the browser`, new URL(asked.url).searchParams);
    for (;;) {
      const answer = await awaitAnswer(context, login.flow, asked, listener);
      if (answer === TERMINAL) break;
      try {
        return await tokensOf(context, login, asked, answer);
      } catch (error) {
        if (!('code' in answer) || !isWrongCode(error)) throw error;
        context.output.warn('that code does not belong to this login, or it has expired');
      }
    }
  } finally {
    await listener.close();
  }
  return tokensOf(context, login, asked, await approveHere(context, login, asked));
};
