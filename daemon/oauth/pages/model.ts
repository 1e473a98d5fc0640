// The input and output of the pages. Any input can come from an attacker, and the pages escape all of it.
import type { FormKeys } from '../pending-authorization.ts';

export interface Page {
  readonly status: number;
  readonly html: string;
  /** All headers, including `Content-Type`, except cookies. */
  readonly headers: Readonly<Record<string, string>>;
}

export type LoginProblem =
  /** Unknown user or wrong password. Both have the same text. @see docs/conformance/security.md R103 */
  | 'wrong'
  /** The form has expired, or its session has ended. */
  | 'expired'
  /** Too many attempts. `retryAfter` is in whole seconds. */
  | { readonly kind: 'throttled'; readonly retryAfter: number };

/** A form posts back its keys only. @see docs/conformance/security.md R17 */
interface FormModel extends FormKeys {
  readonly clientName: string;
  /** The full registered URI. The pages show its host and derive the `form-action` directive from it. */
  readonly redirectUri: string;
}

/** Input of the login page. The form posts `csrf`, `transaction`, `username` and `password` to `action`. */
export interface LoginModel extends FormModel {
  readonly action: '/authorize/login';
  /** True if the user is asked for approval after the login, unless the same was approved before. */
  readonly asksNext: boolean;
  /** The username of the previous attempt. A password is never shown again. */
  readonly username?: string;
  readonly problem?: LoginProblem;
}

/**
 * Input of the consent page. The form posts `csrf`, `transaction` and `decision` (`approve` or `deny`) to `action`. A
 * second form posts `csrf` and `transaction` to `/authorize/logout` to change the user.
 */
export interface ConsentModel extends FormModel {
  readonly action: '/authorize/consent';
  /** The client's own description. Can be empty. */
  readonly clientDescription: string;
  /** Empty for a client of the platform itself. */
  readonly clientOwner: string;
  readonly scopes: readonly string[];
  /** Username of the logged-in user who decides. */
  readonly username: string;
  readonly flow: 'code' | 'token';
  /** Lifetime (seconds) of an access token of this flow. */
  readonly expiresIn: number;
  readonly isRenewable: boolean;
}

/** Input of the error page, for errors that must not be redirected to the client. @see docs/conformance/security.md#shown-as-a-page */
export interface ErrorModel {
  readonly status: number;
  readonly title: string;
  /** The reason, in full sentences. */
  readonly text: string;
  /** What to do next. By default: go back to the program and start again. */
  readonly next?: string;
  readonly requestId: string;
}

export interface SignedOutModel {
  readonly username?: string;
  /** Undefined: the dashboard of the first tenant. */
  readonly tenant?: string;
}
