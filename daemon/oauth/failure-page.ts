// Shows a failure as a page when it must not be sent to the client. @see docs/security.md 4
import type { Failure } from '../domain/failure.ts';
import { errorPage } from './pages/error.ts';
import type { Page } from './pages/model.ts';

const titles: ReadonlyMap<number, string> = new Map([
  [400, 'This request cannot be processed'],
  [403, 'This form was refused'],
  [405, 'This address accepts forms only'],
  [413, 'This form is too large'],
  [421, 'This is not the address of the platform'],
  [503, 'The platform is not available now'],
]);

/** @param status HTTP status of the failure */
export const failurePage = (failure: Failure, status: number, requestId: string): Page =>
  errorPage({
    status,
    title: titles.get(status) ?? 'Something went wrong',
    text: failure.message,
    requestId,
    ...(status === 421 && { next: 'Use the address at which the platform was started.' }),
  });
