// Metadata of the authorization service for OAuth clients. @see RFC 8414 2
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing } from '../wire.ts';

const names = z.array(z.string());

export const metadataOperations = {
  'metadata.show': operation({
    id: 'metadata.show',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    guard: 'public',
    body: 'none',
    answer: 'bare',
    summary: 'Describe the authorization service (RFC 8414)',
    query: nothing,
    input: nothing,
    result: z.object({
      issuer: z.string(),
      authorization_endpoint: z.string(),
      token_endpoint: z.string(),
      revocation_endpoint: z.string(),
      introspection_endpoint: z.string(),
      scopes_supported: names,
      response_types_supported: names,
      response_modes_supported: names,
      grant_types_supported: names,
      token_endpoint_auth_methods_supported: names,
      revocation_endpoint_auth_methods_supported: names,
      introspection_endpoint_auth_methods_supported: names,
      code_challenge_methods_supported: names,
      authorization_response_iss_parameter_supported: z.boolean(),
    }),
    failures: [],
  }),
} as const;
