// The metadata document of the authorization service. Its URLs come from the configuration, never from the request.
// @see RFC 8414, docs/security.md R90, R91
import { SCOPE } from '../../src/contract/oauth/token.ts';
import { CHALLENGE_METHOD } from '../domain/oauth/pkce.ts';
import type { Handlers } from '../http/route-handler.ts';

const secretMethods = ['client_secret_basic', 'client_secret_post'];

export const metadataHandlers = ({ baseUrl }: { readonly baseUrl: () => string }): Handlers<'metadata.show'> => ({
  'metadata.show': () => {
    const issuer = baseUrl();
    const result = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      introspection_endpoint: `${issuer}/introspect`,
      scopes_supported: [SCOPE],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: ['authorization_code', 'implicit', 'password', 'client_credentials', 'refresh_token'],
      token_endpoint_auth_methods_supported: [...secretMethods, 'none'],
      revocation_endpoint_auth_methods_supported: [...secretMethods, 'none'],
      introspection_endpoint_auth_methods_supported: secretMethods,
      code_challenge_methods_supported: [CHALLENGE_METHOD],
      authorization_response_iss_parameter_supported: true,
    };
    return { result, message: 'The metadata of the authorization service.' };
  },
});
