// Reads what a delivery reports of the response of its receiver.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { FAILURE_CODE_HEADER } from '../../src/contract/failure-codes.ts';
import { RESPONSE_READ, type ResponseBody } from '../domain/events/response-text.ts';

/**
 * Reads the response to its end, but closes the connection after `bytes` bytes. Returns a function that gives the begin
 * of the body that has arrived.
 */
export const readBegin = (response: IncomingMessage, request: ClientRequest, bytes: number) => {
  let seen = 0;
  let retained = 0;
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer) => {
    seen += piece.length;
    if (retained < RESPONSE_READ) {
      const part = piece.subarray(0, RESPONSE_READ - retained);
      pieces.push(part);
      retained += part.length;
    }
    if (seen > bytes) request.destroy();
  });
  return (): { readonly body?: ResponseBody } => {
    const type = response.headers['content-type'];
    if (seen === 0) return {};
    const isCut = seen > retained || !response.complete;
    return { body: { ...(type !== undefined && { type }), bytes: Buffer.concat(pieces), isCut } };
  };
};

/** Longest part of the target of a redirect that a delivery shows. */
const LONGEST_LOCATION = 300;

/** Where a response redirects to. Credentials and the query are left out, because they may be secret. */
export const locationOf = (
  { headers: { location } }: IncomingMessage,
  base: string,
): { readonly location?: string } => {
  if (location === undefined || !URL.canParse(location, base)) return {};
  const { protocol, host, pathname } = new URL(location, base);
  return { location: `${protocol}//${host}${pathname}`.slice(0, LONGEST_LOCATION) };
};

export const isLoop = ({ headers }: IncomingMessage): { readonly isLoop?: true } =>
  headers[FAILURE_CODE_HEADER] === 'LINK_CYCLE' ? { isLoop: true } : {};
