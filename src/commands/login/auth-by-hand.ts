// `auth authorize-url` and `auth exchange`: the two steps of the authorization code flow, for any client.
import { challengeOf, newAttempt } from '../../client/login/attempt.ts';
import { authorizeUrl as addressOf, codeIn, readPasted } from '../../client/login/authorize.ts';
import type { CommandContext } from '../../context.ts';
import { CALLBACK_PORTS, redirectUriOf } from '../../contract/cli-client.ts';
import { usage } from '../../failure.ts';
import { command } from '../framework/command.ts';
import { choice, flag, text } from '../framework/option.ts';

const clientOption = text('--client <id>', 'client id (default: the client of actorctl)', 'client');
const redirectOption = text('--redirect-uri <uri>', `redirect URI (default: ${redirectUriOf(CALLBACK_PORTS[0])})`);

export const authorizeUrl = command({
  name: 'authorize-url',
  summary: 'Print the authorization URL for a client',
  operations: ['authorize.show'],
  options: {
    client: clientOption,
    redirectUri: redirectOption,
    responseType: choice('--response-type <type>', 'code (default) or token', ['code', 'token']),
    state: text('--state <text>', 'state value that the response must repeat (default: random)'),
    pkce: flag('--pkce', 'use PKCE and show the verifier for `auth exchange`'),
    showDialog: flag('--show-dialog', 'ask for approval even if it was given before'),
  },
  examples: ['actorctl auth authorize-url --client ID --redirect-uri http://127.0.0.1:3000/callback'],
  run: async ({ session, authOrigin, output }, _args, given) => {
    const { client, redirectUri, responseType = 'code', state, pkce, showDialog } = given;
    if (pkce && responseType === 'token') throw usage('--pkce works only with --response-type code');
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
    output.report(url, { url, state: known, ...(pkce && { code_verifier: attempt.verifier }) }, url);
    if (pkce) output.note(`verifier: ${attempt.verifier}`);
    return 0;
  },
});

interface Lines {
  readonly clientSecretStdin: boolean;
  readonly verifierStdin: boolean;
  readonly code: string | undefined;
}

/** Reads the requested values from stdin, one per line: client secret, code and verifier. */
const readLines = async ({ readSecrets }: CommandContext, { clientSecretStdin, verifierStdin, code }: Lines) => {
  const wanted = [
    ...(clientSecretStdin ? [['secret', 'Client secret'] as const] : []),
    ...(code === '-' ? [['pasted', 'Code, or address with it'] as const] : []),
    ...(verifierStdin ? [['verifier', 'Verifier'] as const] : []),
  ];
  if (wanted.length === 0) return {};
  const lines = await readSecrets(wanted.map(([, question]) => question));
  const found: { secret?: string; pasted?: string; verifier?: string } = {};
  for (const [index, [key]] of wanted.entries()) found[key] = lines[index]?.trim();
  return found;
};

export const exchange = command({
  name: 'exchange',
  summary: 'Exchange an authorization code for tokens',
  details: 'The tokens are printed and not stored.',
  operations: ['token.create'],
  options: {
    code: text('--code <code>', 'the code, or the whole URL of the redirect; - reads stdin'),
    client: clientOption,
    clientSecretStdin: flag('--client-secret-stdin', 'read the client secret from the first line of stdin'),
    verifierStdin: flag('--code-verifier-stdin', 'read the PKCE verifier from the last line of stdin'),
    redirectUri: redirectOption,
    show: flag('--show', 'print the tokens instead of ***'),
  },
  run: async (context, _args, given) => {
    const { session, settings, grant, output } = context;
    const redirectUri = given.redirectUri ?? redirectUriOf(CALLBACK_PORTS[0]);
    const { secret = settings.clientSecret, pasted = given.code, verifier } = await readLines(context, given);
    if (pasted === undefined) throw usage('--code is missing', 'use --code - and pipe the code in');
    const found = readPasted(pasted, redirectUri);
    const code = found.kind === 'code' ? found.code : codeIn(found.parameters);
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
