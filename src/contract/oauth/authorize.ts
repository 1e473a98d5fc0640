// The authorization endpoint: web pages for users, and redirects back to the client. @see docs/oauth.md#authorization-code, RFC 6749 3.1
import * as z from 'zod/mini';
import { operation } from '../operation.ts';

/**
 * A repeated parameter arrives as a list. The schema accepts it, because the endpoint reports the error itself, as
 * a page or a redirect.
 */
const parameter = z.optional(z.union([z.string(), z.array(z.string())]));

const form = {
  csrf: z.optional(z.string()),
  transaction: z.optional(z.string()),
};

export const authorizeOperations = {
  'authorize.show': operation({
    id: 'authorize.show',
    method: 'GET',
    path: '/authorize',
    guard: 'public',
    body: 'none',
    answer: 'page',
    redirects: true,
    summary: 'Start an authorization',
    description: 'Shows a login or approval page, or redirects to the client (303).',
    query: z.object({
      response_type: parameter,
      client_id: parameter,
      redirect_uri: parameter,
      scope: parameter,
      state: parameter,
      show_dialog: parameter,
      code_challenge: parameter,
      code_challenge_method: parameter,
    }),
    input: z.object({}),
    result: z.string(),
    failures: ['VALIDATION'],
  }),
  'authorize.login': operation({
    id: 'authorize.login',
    method: 'POST',
    path: '/authorize/login',
    guard: 'public',
    body: 'form',
    answer: 'page',
    redirects: true,
    summary: 'Log in on the login page',
    query: z.object({}),
    input: z.object({ ...form, username: z.optional(z.string()), password: z.optional(z.string()) }),
    result: z.string(),
    failures: ['VALIDATION', 'AUTH_FAILED', 'FORBIDDEN', 'THROTTLED'],
  }),
  'authorize.consent': operation({
    id: 'authorize.consent',
    method: 'POST',
    path: '/authorize/consent',
    guard: 'public',
    body: 'form',
    answer: 'page',
    redirects: true,
    summary: 'Approve or deny a client',
    description: 'Redirects to the client (303).',
    query: z.object({}),
    input: z.object({ ...form, decision: z.optional(z.string()) }),
    result: z.string(),
    failures: ['VALIDATION', 'FORBIDDEN'],
  }),
  'authorize.logout': operation({
    id: 'authorize.logout',
    method: 'POST',
    path: '/authorize/logout',
    guard: 'public',
    body: 'form',
    answer: 'page',
    redirects: true,
    summary: 'End the session of the browser',
    query: z.object({}),
    input: z.object(form),
    result: z.string(),
    failures: ['FORBIDDEN'],
  }),
  'authorize.link': operation({
    id: 'authorize.link',
    method: 'GET',
    path: '/authorize/link',
    guard: 'public',
    body: 'none',
    answer: 'page',
    redirects: true,
    summary: 'Log a browser in by a one-time link',
    description: 'The management socket creates the link. It is valid once, for 60 seconds. Redirects to `/` (303).',
    query: z.object({ code: parameter }),
    input: z.object({}),
    result: z.string(),
    failures: ['VALIDATION'],
  }),
} as const;
