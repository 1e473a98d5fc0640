// The flows that go by the authorization endpoint: a browser comes back, or a person pastes, or everything is done in this terminal.
import type { ClientCredentials, TokenResponse } from '../../client/grant.ts';
import { approve, probe } from '../../client/login/approve.ts';
import { type Attempt, challengeOf, newAttempt } from '../../client/login/attempt.ts';
import { authorizeUrl, codeOf, type Expected, issuerOf, readPasted, tokenOf } from '../../client/login/authorize.ts';
import { CALLBACK_PORTS, type Listener, listenForAnswer, redirectUriOf } from '../../client/login/listener.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { Narrate } from './explain-requests.ts';

/** Longest wait for an answer, in milliseconds. @see cli.md 4.4 */
export const ANSWER_MS = 5 * 60_000;

/** How it is to be done. */
export interface BrowserLogin {
  readonly flow: 'authorization_code' | 'implicit';
  /** A client that is not this program's own. */
  readonly client?: ClientCredentials;
  readonly callbackPort?: number;
  readonly showDialog: boolean;
  /** Ask everything here and open nothing. */
  readonly terminal: boolean;
  /** Whether a browser may be opened. */
  readonly browser: boolean;
  /** For the terminal, when they are known already. */
  readonly username?: string;
  readonly password?: string;
  readonly narrate: Narrate;
}

/** A request to the authorization endpoint that can be answered. */
export interface Asked {
  readonly attempt: Attempt;
  readonly client: ClientCredentials;
  readonly origin: string;
  readonly redirectUri: string;
  readonly url: string;
  readonly expected: Expected;
}

/** What came back, by whichever way. */
type Answer = { readonly parameters: URLSearchParams } | { readonly code: string };

const portsOf = ({ callbackPort }: Pick<BrowserLogin, 'callbackPort'>): readonly number[] =>
  callbackPort === undefined ? CALLBACK_PORTS : [callbackPort];

/** Tells whom to register where, which is what helps against this. */
const explained = (error: unknown, { redirectUri, client }: Asked): unknown => {
  if (!(error instanceof CliFailure) || error.code !== 'REDIRECT_URI_MISMATCH') return error;
  const registered = CALLBACK_PORTS.map(redirectUriOf);
  return new CliFailure('REDIRECT_URI_MISMATCH', `${redirectUri} is not registered for client ${client.id}`, {
    ...error.extras,
    hint: `register it, or one of those that are tried by default: ${registered.join(' ')}`,
    details: { redirect_uri: redirectUri, tried_by_default: registered },
  });
};

/**
 * Makes the request, and looks whether the service takes it. This program's own client is made anew when the service no longer knows it.
 * @throws CliFailure REDIRECT_URI_MISMATCH, AUTH_FAILED
 */
export const prepare = async (context: CommandContext, login: BrowserLogin, redirectUri: string): Promise<Asked> => {
  const { session, transport, signal, authOrigin } = context;
  const origin = await authOrigin();
  const issuer = await issuerOf(transport, origin, signal);
  const attempt = newAttempt();
  const ask = (client: ClientCredentials): Asked => ({
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
  const tried = async (asked: Asked): Promise<Asked> => {
    const location = await probe(transport, asked.url, signal);
    // A redirect before anybody was asked can only be a refusal.
    if (location?.startsWith(`${redirectUri}?`)) codeOf(new URL(location).searchParams, asked.expected);
    return asked;
  };
  const asked = ask(login.client ?? (await session.ownClient()));
  try {
    return await tried(asked);
  } catch (error) {
    const remakable = error instanceof CliFailure && /^(REDIRECT_URI_MISMATCH|AUTH_FAILED)$/.test(error.code);
    if (login.client || !remakable || context.settings.baseUrl !== undefined) throw explained(error, asked);
    return tried(ask(await session.ownClient(true)));
  }
};

const parametersOf = (address: string): URLSearchParams => {
  const { search, hash } = new URL(address);
  return new URLSearchParams(search.length > 1 ? search : hash.slice(1));
};

/** Asks for name, password and consent here, and walks the pages with them. */
const approveHere = async (context: CommandContext, login: BrowserLogin, asked: Asked): Promise<Answer> => {
  const { prompt, output, transport, signal } = context;
  const { username, password } = login;
  login.narrate(`GET ${asked.origin}/authorize and its forms, filled in here`, new URL(asked.url).searchParams);
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
      consent: () => prompt.agree(`Let client ${asked.client.id} act as ${last ?? 'you'} on ${asked.origin}?`),
    },
  });
  return { parameters: parametersOf(address) };
};

const TERMINAL = 'terminal';

/** Takes what a person pastes, until it can be read. */
const typed = async (
  { prompt, output }: CommandContext,
  { redirectUri }: Asked,
  stop: AbortSignal,
): Promise<Answer | typeof TERMINAL> => {
  for (;;) {
    const line = await prompt.line(
      `Waiting for the browser. Or paste the code or address here, or t for ${TERMINAL}:`,
      stop,
    );
    if (line.trim() === '') continue;
    if (/^t(erminal)?$/i.test(line.trim())) return TERMINAL;
    try {
      const pasted = readPasted(line, redirectUri);
      return pasted.kind === 'code' ? { code: pasted.code } : { parameters: pasted.parameters };
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      output.warn(error.message);
    }
  }
};

/** Says where to go, first of all and whatever the output is for, and opens it where that can be done. */
const invite = async (
  context: CommandContext,
  login: BrowserLogin,
  { url, origin }: Asked,
  port: number,
): Promise<void> => {
  const { output, browser, settings } = context;
  output.errorText(`Open this address to log in (context ${settings.context}):\n${url}\n`);
  const tunnel = browser.tunnel([Number(new URL(origin).port) || 443, port]);
  if (tunnel !== undefined) output.note(`On your own machine, for its browser to get here:\n${tunnel}`);
  const opened = login.browser && (await browser.open(url));
  if (!opened)
    output.note(`No browser is opened: ${login.browser ? (browser.absence() ?? 'it did not start') : 'as you asked'}.`);
};

/** Waits for the browser and for the keyboard at the same time; the first of them wins. */
const awaitAnswer = async (
  context: CommandContext,
  asked: Asked,
  listener: Listener,
): Promise<Answer | typeof TERMINAL> => {
  if (!context.prompt.allowed) return { parameters: await listener.answer };
  const stop = new AbortController();
  const keyboard = typed(context, asked, stop.signal);
  try {
    return await Promise.race([listener.answer.then((parameters) => ({ parameters })), keyboard]);
  } finally {
    stop.abort();
    // The question must be off the terminal before anything else is written there; its own end was told by the race.
    await keyboard.catch(() => undefined);
  }
};

/** Makes tokens of an answer. */
export const redeem = async (
  context: Pick<CommandContext, 'grant' | 'session'>,
  login: Pick<BrowserLogin, 'client' | 'narrate'>,
  { attempt, redirectUri }: Pick<Asked, 'redirectUri' | 'attempt'>,
  code: string,
): Promise<TokenResponse> => {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: attempt.verifier,
  } as const;
  login.narrate('POST /token, the client proving itself', Object.entries(form));
  const { client } = login;
  return client ? context.grant(client, form) : context.session.withOwnClient((own) => context.grant(own, form));
};

const tokensOf = async (
  context: CommandContext,
  login: BrowserLogin,
  asked: Asked,
  answer: Answer,
): Promise<TokenResponse> => {
  if ('parameters' in answer) login.narrate(`The answer at ${asked.redirectUri}`, answer.parameters);
  if (login.flow === 'implicit') {
    return tokenOf('parameters' in answer ? answer.parameters : new URLSearchParams(), asked.expected);
  }
  // A code alone brings no state with it; that it was given for this login is what the verifier proves.
  return redeem(context, login, asked, 'code' in answer ? answer.code : codeOf(answer.parameters, asked.expected));
};

/**
 * Logs in by the authorization endpoint and answers the tokens.
 * @throws CliFailure ACCESS_DENIED, AUTH_FAILED, REDIRECT_URI_MISMATCH, PORT_IN_USE, CANCELLED
 */
export const obtainByBrowser = async (context: CommandContext, login: BrowserLogin): Promise<TokenResponse> => {
  const { signal } = context;
  const [first = CALLBACK_PORTS[0]] = portsOf(login);
  if (login.terminal) {
    const asked = await prepare(context, login, redirectUriOf(first));
    return tokensOf(context, login, asked, await approveHere(context, login, asked));
  }
  let asked: Asked | undefined;
  const listener = await listenForAnswer({
    ports: portsOf(login),
    responseType: login.flow === 'implicit' ? 'token' : 'code',
    accepts: (parameters) => parameters.get('state') === asked?.attempt.state && !parameters.has('error'),
    timeoutMs: ANSWER_MS,
    signal,
  });
  try {
    asked = await prepare(context, login, listener.redirectUri);
    await invite(context, login, asked, listener.port);
    login.narrate(`GET ${asked.origin}/authorize, in the browser`, new URL(asked.url).searchParams);
    const answer = await awaitAnswer(context, asked, listener);
    if (answer !== TERMINAL) return await tokensOf(context, login, asked, answer);
  } finally {
    await listener.close();
  }
  return tokensOf(context, login, asked, await approveHere(context, login, asked));
};
