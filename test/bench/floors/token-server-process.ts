// A process with a third-party authorization server, in memory, with one client. It sends its port to its parent.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OAuth2Server, { type ClientCredentialsModel, type Token } from '@node-oauth/oauth2-server';
import express from 'express';
import { Provider } from 'oidc-provider';

const SCOPE = 'PRODUCTION';
const SECONDS = 14_400;

const [, , which = '', id = '', secret = ''] = process.argv;

const oidcProvider = (): Server => {
  const provider = new Provider('http://127.0.0.1', {
    clients: [
      {
        client_id: id,
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope: SCOPE,
      },
    ],
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    routes: { token: '/token' },
    scopes: [SCOPE],
    ttl: { ClientCredentials: SECONDS },
  });
  return createServer(provider.callback());
};

const oauth2Server = (): Server => {
  const tokens = new Map<string, Token>();
  const client = { id, grants: ['client_credentials'] };
  const model: ClientCredentialsModel = {
    getClient: async (givenId, givenSecret) =>
      givenId === id &&
      givenSecret.length === secret.length &&
      timingSafeEqual(Buffer.from(givenSecret), Buffer.from(secret)) &&
      client,
    getUserFromClient: async () => ({ username: 'bench' }),
    validateScope: async (_user, _client, scope) => scope?.every((one) => one === SCOPE) === true && scope,
    saveToken: async (token, of, user) => {
      const saved = { ...token, client: of, user };
      tokens.set(token.accessToken, saved);
      return saved;
    },
    getAccessToken: async (accessToken) => tokens.get(accessToken),
  };
  const oauth = new OAuth2Server({ model, accessTokenLifetime: SECONDS });
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.post('/token', express.urlencoded({ extended: false }), async (request, response) => {
    const answer = new OAuth2Server.Response(response);
    await oauth.token(new OAuth2Server.Request(request), answer);
    response.set(answer.headers).json(answer.body);
  });
  return createServer(app);
};

const servers: Readonly<Record<string, () => Server>> = {
  'oidc-provider': oidcProvider,
  '@node-oauth/oauth2-server': oauth2Server,
};

const server = servers[which]?.();
if (server === undefined) throw new Error(`there is no ${which}`);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
