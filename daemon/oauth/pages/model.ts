// What the pages are told, and what a page is. Everything here may come from a stranger: the pages escape all of it.
import type { FormKeys } from '../pending-authorization.ts';

/** A whole answer: the caller writes it as it stands. */
export interface Page {
  readonly status: number;
  readonly html: string;
  /** Complete, with `Content-Type`; nothing needs adding but cookies. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Why the login form is shown again. */
export type LoginProblem =
  /** Unknown user or wrong password: one text for both. @see auth.md R103 */
  | 'wrong'
  /** The form was too old, or its session is over. */
  | 'expired'
  /** Too many attempts; `retryAfter` in whole seconds. */
  | { readonly kind: 'throttled'; readonly retryAfter: number };

/** What both forms know about the authorization request that they belong to. A form posts back its keys only. @see auth.md R17 */
interface FormModel extends FormKeys {
  readonly clientName: string;
  /** The registered URI in full; the pages show its host and derive what `form-action` must name. */
  readonly redirectUri: string;
}

/** Posts `csrf`, `transaction`, `username`, `password` to `action`. */
export interface LoginModel extends FormModel {
  readonly action: '/authorize/login';
  /** As typed before; a password is never shown again. */
  readonly username?: string;
  readonly problem?: LoginProblem;
}

/** Posts `csrf`, `transaction`, `decision` (`approve` or `deny`) to `action`; `csrf`, `transaction` to `/authorize/logout` to change the user. */
export interface ConsentModel extends FormModel {
  readonly action: '/authorize/consent';
  /** What the client says about itself; may be empty. */
  readonly clientDescription: string;
  /** Username of whoever registered the client. */
  readonly clientOwner: string;
  readonly scopes: readonly string[];
  /** Who is logged in and decides. */
  readonly username: string;
  readonly flow: 'code' | 'token';
  /** Seconds that an access token of this flow lives. */
  readonly expiresIn: number;
}

/** What cannot be answered by a redirect. @see auth.md 1.1 "Shown to the user as an HTML page" */
export interface ErrorModel {
  readonly status: number;
  /** What happened. */
  readonly title: string;
  /** Why, in whole sentences. */
  readonly text: string;
  /** What to do next; without it: to go back to the program and start again. */
  readonly next?: string;
  readonly requestId: string;
}

/** After a logout that belonged to no pending authorization. */
export interface SignedOutModel {
  /** Who was logged in, if anyone was. */
  readonly username?: string;
}
