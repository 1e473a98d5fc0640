// A fake service for tests of the command line: a real HTTP server that issues tokens and records its requests.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Home } from './home.ts';

export interface CliService {
  readonly origin: string;
  /** The requests in order, for example `POST /token refresh_token`. */
  readonly asked: readonly string[];
  /** Replaces the responses. */
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  readonly close: () => Promise<void>;
}

const read = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) text += String(piece);
  return text;
};

export const json = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};

const enveloped = (result: unknown) => ({ message: 'ok', result, status: 'success', version: '1.9.1' });

/** Starts the service. Tokens are numbered (`access-1`, `refresh-1`), and only the latest of each kind is valid. */
export const startCliService = async (delayMs = 0): Promise<CliService> => {
  const asked: string[] = [];
  let issued = 0;
  const service: { answer: CliService['answer'] } = { answer: () => false };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await read(request);
    const path = request.url?.split('?')[0] ?? '';
    const form = new URLSearchParams(body);
    asked.push([request.method, path, form.get('grant_type')].filter(Boolean).join(' '));
    if (service.answer(request, response, body)) return;
    if (path === '/token') {
      const refresh = form.get('refresh_token');
      if (form.get('password') === 'wrong' || (refresh !== null && refresh !== `refresh-${issued}`)) {
        json(
          response,
          400,
          { error: 'invalid_grant', error_description: 'The credentials are wrong.' },
          { 'x-failure-code': 'AUTH_FAILED' },
        );
        return;
      }
      issued += 1;
      const mine = issued;
      setTimeout(() => {
        json(response, 200, {
          access_token: `access-${mine}`,
          token_type: 'bearer',
          expires_in: 14_400,
          scope: 'PRODUCTION',
          ...(form.get('grant_type') !== 'client_credentials' && { refresh_token: `refresh-${mine}` }),
        });
      }, delayMs);
      return;
    }
    if (request.headers.authorization !== `Bearer access-${issued}`) {
      json(
        response,
        401,
        { message: 'The access token is not valid.', result: null, status: 'error', version: '1' },
        { 'x-failure-code': 'TOKEN_EXPIRED', 'x-request-id': 'r-1' },
      );
      return;
    }
    if (path === '/profiles/v2/me') json(response, 200, enveloped({ username: 'dev' }));
    else json(response, 200, enveloped([]));
  };
  const server: Server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, {
    origin: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
};

/** Lets the stored login of a home expire `ms` from now. */
export const expireIn = ({ folder }: Pick<Home, 'folder'>, ms: number): void => {
  const file = path.join(folder, 'config', 'credentials.json');
  const document = JSON.parse(readFileSync(file, 'utf8'));
  for (const { record } of Object.values<{ record: { login: { expiresAt: number } } }>(document.accounts))
    record.login.expiresAt = Date.now() + ms;
  writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
};
