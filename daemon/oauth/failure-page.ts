// A failure as a page: what cannot be sent back to the client is told to the person at the browser. @see auth.md 1.1
import type { Failure } from '../domain/failure.ts';
import { errorPage } from './pages/error.ts';
import type { Page } from './pages/model.ts';

const titles: ReadonlyMap<number, string> = new Map([
  [400, 'This request cannot be answered'],
  [403, 'This form was refused'],
  [405, 'This address is for forms'],
  [413, 'This form is too large'],
  [421, 'This is not the address of the platform'],
  [503, 'The platform cannot do this now'],
]);

/** @param status HTTP status of the failure */
export const failurePage = (failure: Failure, status: number, requestId: string): Page =>
  errorPage({
    status,
    title: titles.get(status) ?? 'Something went wrong',
    text: failure.message,
    requestId,
    ...(status === 421 && { next: 'Use the address that the platform was started with.' }),
  });
