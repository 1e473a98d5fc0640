// A process with oidc-provider, in memory, with one client. It sends its port to its parent.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const SCOPE = 'PRODUCTION';
const SECONDS = 14_400;

const [, , id = '', secret = ''] = process.argv;

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
const server = createServer(provider.callback());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
