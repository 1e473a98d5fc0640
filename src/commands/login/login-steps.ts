// Login in two commands, for callers that cannot wait: `--start` prints the address, `--complete` accepts the
// redirect address.
import path from 'node:path';
import * as z from 'zod/mini';
import { codeOf, readPasted } from '../../client/login/authorize.ts';
import type { CommandContext } from '../../context.ts';
import { CALLBACK_PORTS, redirectUriOf } from '../../contract/cli-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { removeFile } from '../../local/atomic-file.ts';
import { writePrivate } from '../../local/files.ts';
import { readSecretJson } from '../../local/json-file.ts';
import type { Admission } from './complete-login.ts';
import type { Narrate } from './explain-requests.ts';
import { ANSWER_MS, type BrowserLogin, prepare, redeem } from './login-browser.ts';
import { browserLogin, type LoginOptions } from './login-options.ts';
import { readSecrets } from './login-secrets.ts';

/** Stored between the two steps. The verifier is a secret. */
const pending = z.object({
  state: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** The chosen client. Absent for the client of actorctl. */
  clientId: z.optional(z.string()),
  issuer: z.optional(z.string()),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
});

const fileOf = ({ paths, settings }: CommandContext): string =>
  path.join(paths.configDir, `login-${encodeURIComponent(settings.account)}.json`);

/** The command that finishes the login, with the flags of this call that choose the client. */
const nextStep = ({ client, clientSecretStdin }: LoginOptions): string =>
  [
    'actorctl login --complete CODE_OR_ADDRESS',
    ...(client === undefined ? [] : [`--client ${client}`]),
    ...(clientSecretStdin ? ['--client-secret-stdin'] : []),
  ].join(' ');

export const startLogin = async (context: CommandContext, given: LoginOptions, narrate: Narrate): Promise<number> => {
  if (given.complete !== undefined) throw usage('--start and --complete cannot be used together');
  if (given.terminal) throw usage('--start and --terminal cannot be used together');
  if (given.flow !== undefined && given.flow !== 'code') throw usage('--start works only with --flow code');
  const login = await browserLogin(context, given, 'authorization_code', await readSecrets(context, given), narrate);
  const { attempt, redirectUri, url, expected } = await prepare(
    context,
    login,
    redirectUriOf(given.callbackPort ?? CALLBACK_PORTS[0]),
  );
  narrate('GET /authorize, in a browser', new URL(url).searchParams);
  const kept: z.output<typeof pending> = {
    ...attempt,
    redirectUri,
    ...(login.client && { clientId: login.client.id }),
    ...(expected.issuer !== undefined && { issuer: expected.issuer }),
    expiresAt: context.now() + ANSWER_MS,
  };
  await writePrivate(fileOf(context), `${JSON.stringify(kept)}\n`);
  const next = context.output.sameTarget(nextStep(given));
  context.output.result(
    `${url}\nOpen this address. After the login the browser goes to ${redirectUri} and shows an error there. Copy that whole address into\n${next}`,
    { authorize_url: url, state: attempt.state, expires_in: ANSWER_MS / 1_000, next_step: next },
    url,
  );
  return 0;
};

const readPending = async (context: CommandContext): Promise<z.output<typeof pending>> => {
  const parsed = pending.safeParse(await readSecretJson(fileOf(context)));
  if (parsed.success && parsed.data.expiresAt > context.now()) return parsed.data;
  throw new CliFailure(
    'AUTH_FAILED',
    parsed.success ? 'the login that --start began has expired' : 'no login was started in this context',
    { hint: 'actorctl login --start' },
  );
};

/**
 * Finishes the login. The stored login request stays until a call has obtained tokens, or until it expires.
 * @throws CliFailure USAGE for another client; AUTH_FAILED if no login was started, if it has expired, or if the
 * response belongs to another request; ACCESS_DENIED
 */
export const completeLogin = async (
  context: CommandContext,
  login: BrowserLogin,
  answer: string,
): Promise<Omit<Admission, 'force'>> => {
  const given = answer === '-' ? (await context.read('-', 64 * 1024)).toString('utf8') : answer;
  const { state, verifier, redirectUri, clientId, issuer } = await readPending(context);
  if (login.client?.id !== clientId) {
    throw clientId === undefined
      ? usage('the login was started with the client of actorctl', 'leave out --client')
      : usage(`the login was started with client ${clientId}`, `add --client ${clientId}`);
  }
  const pasted = readPasted(given, redirectUri);
  const code =
    pasted.kind === 'code'
      ? pasted.code
      : codeOf(pasted.parameters, { state, ...(issuer !== undefined && { issuer }) });
  return {
    flow: 'authorization_code',
    obtain: async () => {
      const tokens = await redeem(context, login, { attempt: { state, verifier }, redirectUri }, code);
      await removeFile(fileOf(context));
      return tokens;
    },
    ...(login.client && { client: login.client }),
  };
};
