// The page of the dashboard and its assets, as a browser and as a program get them.
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServices } from '../../../daemon/app/services.ts';
import { readSite, type SiteFiles } from '../../../daemon/web/site/routes.ts';
import { call } from '../../support/service/call.ts';
import { type ComposedServices, composeServices } from '../../support/service/composed-services.ts';

const folder = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url));
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const html = { accept: 'text/html,application/xhtml+xml' };

let composed: ComposedServices;
let baseUrl: string;
let files: SiteFiles;
const get = (path: string, headers: Record<string, string> = {}) => call(baseUrl, 'GET', path, { headers });

beforeAll(async () => {
  composed = await composeServices(silent);
  const { app } = createServices({ ...composed.dependencies, dashboardDir: folder });
  await composed.listen((hosts) => app(hosts, false));
  baseUrl = composed.dependencies.baseUrl();
  await composed.store.transact((tx) => {
    tx.put('tenants', { id: 'OTHER', name: 'OTHER', lifetimes: {}, createdAt: 0 });
  });
  files = await readSite(folder);
});
afterAll(() => composed.close());

describe('R170 the page of the dashboard', () => {
  it('forbids inline code, other origins, frames, and text that becomes markup', async () => {
    const { status, headers, text } = await get('/', html);
    const policy = String(headers['content-security-policy']);
    expect(status).toBe(200);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|http|\*|data:/);
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store', vary: 'Accept' });
    expect(text).not.toMatch(/<script(?![^>]*\bsrc="\/dashboard\/)|<style|\son\w+=|https?:/);
  });

  it('has one address, to which other host names of the listener redirect', async () => {
    const port = new URL(baseUrl).port;
    const { status, headers } = await get('/?tenant=OTHER', { ...html, host: `localhost:${port}` });
    expect([status, headers.location]).toEqual([307, `${baseUrl}/?tenant=OTHER`]);
  });

  it('names the client of the tenant, and none of a tenant that does not exist', async () => {
    expect((await get('/?tenant=OTHER', html)).text).toContain('data-client="actorctl-dashboard.OTHER"');
    expect((await get('/?tenant=%22%3E%3Cb%3E', html)).text).toContain('data-client=""');
    expect(composed.store.get('clients', 'actorctl-dashboard.OTHER')).toMatchObject({
      owner: '',
      secretHash: '',
      redirectUris: [`${baseUrl}/`],
      grants: ['authorization_code', 'refresh_token'],
    });
  });

  it('is not sent to programs: they get the response for an unknown path', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const { status, json } = await get('/', { accept });
      expect(status).toBe(404);
      expect(json).toMatchObject({ status: 'error', result: null });
    }
  });

  it('is not on the listener for containers', async () => {
    const other = await composeServices(silent);
    const { app } = createServices({ ...other.dependencies, dashboardDir: folder });
    const { port } = await other.listen((hosts) => app(hosts, true));
    expect((await call(`http://127.0.0.1:${port}`, 'GET', '/', { headers: html })).status).toBe(401);
    await other.close();
  });
});

describe('R170 the API documentation', () => {
  it('forbids inline code, other origins, frames, and text that becomes markup', async () => {
    const { status, headers, text } = await get('/docs?tenant=OTHER', html);
    const policy = String(headers['content-security-policy']);
    expect(status).toBe(200);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|http|\*|data:/);
    expect(text).toContain('data-client="actorctl-dashboard.OTHER"');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc="\/dashboard\/)|\son\w+=/);
    expect((await get('/docs?tenant=%22%3E%3Cb%3E', html)).text).not.toContain('"><b>');
  });

  it('has no script and no login at other host names', async () => {
    const { headers, text } = await get('/docs', { host: `localhost:${new URL(baseUrl).port}` });
    expect(text).not.toContain('<script');
    expect(headers['content-security-policy']).not.toContain('script-src');
  });
});

describe('an asset of the dashboard', () => {
  it('is sent as gzip or uncompressed, and may be cached forever', async () => {
    const [name = '', asset] = [...files.assets][0] ?? [];
    const plain = gunzipSync(asset?.gzip ?? Buffer.alloc(0));
    const gzip = await get(`/dashboard/${name}`, { 'accept-encoding': 'deflate, gzip;q=1, br' });
    expect(gzip.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(gunzipSync(gzip.bytes).equals(plain)).toBe(true);
    for (const accepted of ['', 'gzip;q=0, br']) {
      const none = await get(`/dashboard/${name}`, { 'accept-encoding': accepted });
      expect([none.headers['content-encoding'], none.bytes.equals(plain)]).toEqual([undefined, true]);
    }
  });

  it.each(['nothing.js', '..%2findex.html', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', 'index.html', '%00'])(
    'that does not exist is not found: %s',
    async (name) => {
      expect((await get(`/dashboard/${name}`)).status).toBe(404);
    },
  );
});

describe('the size of the dashboard', () => {
  const sizes = () => new Map([...files.assets].map(([name, { gzip }]) => [name, gzip.length]));
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

  it('is at most 200 KB compressed in all', () => {
    expect(sum(sizes().values())).toBeLessThanOrEqual(200_000);
  });

  it('is at most 60 KB for the first view, with its chart', () => {
    const names = [...files.page.matchAll(/\/dashboard\/([\w.-]+)/g)].map(([, name = '']) => name);
    const first = [...sizes()].filter(([name]) => names.includes(name) || /^(overview|uPlot)/.test(name));
    expect(first.length).toBeGreaterThan(names.length);
    expect(sum(first.map(([, size]) => size))).toBeLessThanOrEqual(60_000);
  });
});
