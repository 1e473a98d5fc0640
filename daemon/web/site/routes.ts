// Serves the dashboard: its page at `/` for browsers, and its assets below `/dashboard/`.
// @see docs/dashboard.md, docs/conformance/security.md C28

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { IRouter } from 'express';
import { MESSAGE_LIMIT } from '../../../src/contract/actors/messages.ts';
import { VERSION } from '../../../src/local/version.ts';
import { hostsAt } from '../../http/request-gate.ts';
import { escaped } from '../../http/response/html.ts';
import type { RouteHandler } from '../../http/serve-operation.ts';
import type { Logger } from '../../ports/logger.ts';

const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly type: string;
  readonly gzip: Buffer;
}

export interface SiteFiles {
  readonly page: string;
  /** By file name. Each name contains a hash of its content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** Reads all files, which together are smaller than one message. @throws Error if the folder is not complete */
export const readSite = async (folder: string): Promise<SiteFiles> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.gz')).map((name) => name.slice(0, -3));
  const assets = await Promise.all(
    names.map(async (name): Promise<[string, Asset]> => {
      const gzip = await readFile(path.join(folder, `${name}.gz`));
      return [name, { type: TYPES[path.extname(name)] ?? 'application/octet-stream', gzip }];
    }),
  );
  return { page: await readFile(path.join(folder, PAGE), 'utf8'), assets: new Map(assets) };
};

const decompress = promisify(gunzip);

const takesGzip = (accepted: string): boolean =>
  accepted.split(',').some((part) => /^\s*gzip\s*(;|$)/.test(part) && !/;\s*q=0(\.0*)?\s*$/.test(part));

export interface SiteOptions {
  readonly folder: string;
  /** The OAuth client of the dashboard for a tenant. Undefined if there is no such tenant. */
  readonly clientOf: (tenant: string | undefined) => Promise<string | undefined>;
  readonly baseUrl: () => string;
  /** Maximum bytes of one message. MESSAGE_LIMIT by default. The page refuses more before it sends. */
  readonly messageLimit?: number;
  readonly logger: Logger;
}

const ASSETS = '/dashboard/:file';

/**
 * The content security policy: no inline code, no other origin, and no text that becomes markup.
 * @see docs/conformance/security.md R170
 */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  Vary: 'Accept',
} as const;

/** Browsers list HTML in their Accept header. Other clients get the response for an unknown path. */
const wantsPage = (accept: string | undefined): boolean => /\btext\/html\b/i.test(accept ?? '');

/** Mounts the routes. The files are read at the first request and kept. */
export const mountSite = ({
  folder,
  clientOf,
  baseUrl,
  messageLimit = MESSAGE_LIMIT,
  logger,
}: SiteOptions): ((router: IRouter) => void) => {
  let files: Promise<SiteFiles> | undefined;
  const site = (): Promise<SiteFiles> => {
    files ??= readSite(folder).catch((error: unknown) => {
      files = undefined;
      logger.error({ error, folder }, 'cannot read the dashboard; reinstall actorctl');
      throw error;
    });
    return files;
  };

  const page: RouteHandler = async (request, response, next) => {
    if (!wantsPage(request.headers.accept)) return next();
    response.locals.exchange.route = '/';
    const url = new URL(request.url, baseUrl());
    // Redirects to one address, so that there is one session, one redirect URI and one history.
    if (!hostsAt(baseUrl()).includes(request.headers.host?.toLowerCase() ?? '')) {
      response.writeHead(307, { ...PAGE_HEADERS, Location: `${baseUrl()}/${url.search}`, 'Content-Length': 0 }).end();
      return;
    }
    const client = (await clientOf(url.searchParams.get('tenant') ?? undefined)) ?? '';
    const text = (await site()).page
      .replace('%CLIENT%', escaped(client))
      .replace('%VERSION%', escaped(VERSION))
      .replace('%MESSAGE_LIMIT%', String(messageLimit));
    response.writeHead(200, { ...PAGE_HEADERS, 'Content-Length': Buffer.byteLength(text) }).end(text);
  };

  const asset: RouteHandler = async (request, response, next) => {
    const found = (await site()).assets.get(String(request.params['file']));
    if (found === undefined) return next();
    response.locals.exchange.route = ASSETS;
    const compressed = takesGzip(String(request.headers['accept-encoding'] ?? ''));
    const bytes = compressed ? found.gzip : await decompress(found.gzip);
    response.writeHead(200, {
      'Content-Type': found.type,
      'Content-Length': bytes.length,
      ...(compressed && { 'Content-Encoding': 'gzip' }),
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
    });
    response.end(bytes);
  };

  return (router) => {
    router.get('/', page);
    router.get(ASSETS, asset);
  };
};
