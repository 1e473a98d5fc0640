// Requests to the token endpoint, and helpers that read the responses.
import type { Answer } from './call.ts';
import { ADMIN_PASSWORD, member } from './platform.ts';

export const SCOPE = 'PRODUCTION';
export const passwordForm = { grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD, scope: SCOPE };
export const clientForm = { grant_type: 'client_credentials' };

/** A member of the response as text. */
export const textOf = (answer: Answer, name: string): string => String(member(answer, name));

/** The status and the RFC 6749 error of a refusal. */
export const refusal = (answer: Answer): readonly [number, unknown] => [answer.status, member(answer, 'error')];
