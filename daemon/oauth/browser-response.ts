// Responses to a browser: pages and redirects. Also refuses forms that other sites sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../domain/failure.ts';
import { isFromOtherSite } from '../http/request/origin.ts';
import { ANSWERED } from '../http/route-handler.ts';
import type { Page } from './pages/model.ts';

const withCookie = (cookie: string | undefined) => (cookie === undefined ? {} : { 'Set-Cookie': cookie });

export const sendPage = (
  response: ServerResponse,
  { status, html, headers }: Page,
  cookie?: string,
): typeof ANSWERED => {
  response.writeHead(status, { ...headers, ...withCookie(cookie), 'Content-Length': Buffer.byteLength(html) });
  response.end(html);
  return ANSWERED;
};

/**
 * Redirects with 303: the browser follows by GET, without form data and without a Referer.
 * @see docs/conformance/security.md R12, R29
 */
export const seeOther = (response: ServerResponse, location: string, cookie?: string): typeof ANSWERED => {
  response.writeHead(303, {
    Location: location,
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
    'Referrer-Policy': 'no-referrer',
    'Content-Length': 0,
    ...withCookie(cookie),
  });
  response.end();
  return ANSWERED;
};

/** Refuses a form that another site sent. @throws Failure FORBIDDEN @see docs/conformance/security.md R93 */
export const demandOwnForm = (request: IncomingMessage, baseUrl: string): void => {
  if (isFromOtherSite(request, baseUrl)) {
    throw new Failure('FORBIDDEN', 'This form was sent by another site. Nothing was changed.');
  }
};
