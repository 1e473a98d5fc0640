// `auth authorize-url` and `auth exchange`: the two halves of the authorization code flow by hand, for any client.
import { challengeOf, newAttempt } from '../../client/login/attempt.ts';
import { authorizeUrl as addressOf, readPasted } from '../../client/login/authorize.ts';
import { CALLBACK_PORTS, redirectUriOf } from '../../client/login/listener.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { command } from '../kernel/command.ts';
import { choice, flag, text } from '../kernel/option.ts';

/** Longest of all that stdin is asked for, in bytes. */
const LIMIT = 64 * 1024;

const clientOption = text('--client <id>', 'client; the default is the one of this program');
const redirectOption = text('--redirect-uri <uri>', `redirect URI; the default is ${redirectUriOf(CALLBACK_PORTS[0])}`);

/** `auth authorize-url` */
export const authorizeUrl = command({
  name: 'authorize-url',
  summary: 'Prints the address of the authorization endpoint for a client.',
  operations: ['authorize.show'],
  options: {
    client: clientOption,
    redirectUri: redirectOption,
    responseType: choice('--response-type <type>', 'code (default) or token', ['code', 'token']),
    state: text('--state <text>', 'comes back with the answer; made up when left out'),
    pkce: flag('--pkce', 'with a proof key; its verifier is shown, for auth exchange'),
    showDialog: flag('--show-dialog', 'ask for approval even where it was given before'),
  },
  examples: ['actorctl auth authorize-url --client ID --redirect-uri http://127.0.0.1:3000/callback'],
  run: async ({ session, authOrigin, output }, _args, given) => {
    const { client, redirectUri, responseType = 'code', state, pkce, showDialog } = given;
    if (pkce && responseType === 'token') throw usage('--pkce is for --response-type code');
    const attempt = newAttempt();
    const known = state ?? attempt.state;
    const url = addressOf({
      origin: await authOrigin(),
      clientId: client ?? (await session.ownClient()).id,
      redirectUri: redirectUri ?? redirectUriOf(CALLBACK_PORTS[0]),
      responseType,
      state: known,
      ...(pkce && { challenge: challengeOf(attempt.verifier) }),
      showDialog,
    });
    output.result(url, { url, state: known, ...(pkce && { code_verifier: attempt.verifier }) }, url);
    if (pkce) output.note(`verifier: ${attempt.verifier}`);
    return 0;
  },
});

interface Lines {
  readonly clientSecretStdin: boolean;
  readonly verifierStdin: boolean;
  readonly code: string | undefined;
}

/** What stdin holds, a line each: the secret of the client, the code, the verifier, as far as they were asked for. */
const readLines = async ({ read }: CommandContext, { clientSecretStdin, verifierStdin, code }: Lines) => {
  const wanted = [clientSecretStdin, code === '-', verifierStdin];
  if (!wanted.includes(true)) return {};
  const lines = (await read('-', LIMIT)).toString('utf8').split(/\r?\n/);
  const next = (asked: boolean | undefined): string | undefined => {
    if (!asked) return undefined;
    const line = lines.shift()?.trim();
    if (line) return line;
    throw usage('stdin holds too few lines', 'a line each: secret of the client, code, verifier');
  };
  const [secret, pasted, verifier] = wanted.map(next);
  return { secret, pasted, verifier };
};

/** `auth exchange` */
export const exchange = command({
  name: 'exchange',
  summary: 'Exchanges an authorization code for tokens and prints them; nothing is kept.',
  operations: ['token.create'],
  options: {
    code: text('--code <code>', 'the code, or the whole address it came in; - reads stdin'),
    client: clientOption,
    clientSecretStdin: flag('--client-secret-stdin', 'read the secret of the client from stdin, its first line'),
    verifierStdin: flag('--code-verifier-stdin', 'read the verifier of the proof key from stdin, its last line'),
    redirectUri: redirectOption,
    show: flag('--show', 'print the tokens; they are masked otherwise'),
  },
  run: async (context, _args, given) => {
    const { session, settings, grant, output } = context;
    const redirectUri = given.redirectUri ?? redirectUriOf(CALLBACK_PORTS[0]);
    const { secret = settings.clientSecret, pasted = given.code, verifier } = await readLines(context, given);
    if (pasted === undefined) throw usage('--code is missing', 'give --code -, and pipe the code in');
    const found = readPasted(pasted, redirectUri);
    const code = found.kind === 'code' ? found.code : found.parameters.get('code');
    if (!code) {
      throw new CliFailure(
        'ACCESS_DENIED',
        `there is no code in it: ${found.kind === 'answer' ? found.parameters.get('error') : ''}`,
      );
    }
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      ...(verifier !== undefined && { code_verifier: verifier }),
    } as const;
    const { client } = given;
    const tokens = await (client === undefined
      ? session.withOwnClient((own) => grant(own, form))
      : grant({ id: client, ...(secret !== undefined && { secret }) }, form));
    const mask = (value: string): string => (given.show ? value : '***');
    const shown = {
      ...tokens,
      access_token: mask(tokens.access_token),
      ...(tokens.refresh_token !== undefined && { refresh_token: mask(tokens.refresh_token) }),
    };
    const lines = Object.entries(shown).map(([name, value]) => `${name}  ${value}`);
    output.result(lines.join('\n'), shown, shown.access_token);
    return 0;
  },
});
