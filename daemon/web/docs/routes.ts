// Handler of the API documentation page.
import { readdir } from 'node:fs/promises';
import { type OpenApiDocument, openApiDocument } from '../../../src/contract/openapi.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { hostsAt } from '../../http/request-gate.ts';
import { headersOfPage } from '../../http/response/page-headers.ts';
import { ANSWERED, type Handlers } from '../../http/route-handler.ts';
import { docsPage, type PageLogin } from './page.ts';
import { STYLE } from './style.ts';

/** The dashboard, whose login and script the page uses. */
interface DocsDashboard {
  readonly folder: string;
  /** The OAuth client of the dashboard for a tenant. Undefined if there is no such tenant. */
  readonly clientOf: (tenant: string | undefined) => Promise<string | undefined>;
}

interface DocsOptions {
  readonly baseUrl: () => string;
  readonly dashboard?: DocsDashboard | undefined;
}

const plain = headersOfPage(STYLE, "'none'");

/** The policy of the page with a script: no inline code, no other origin, and no text that becomes markup. */
const withScript = {
  ...plain,
  'Content-Security-Policy': [
    plain['Content-Security-Policy'],
    "script-src 'self'",
    "connect-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const isScript = (name: string): boolean => name.startsWith('docs-') && name.endsWith('.js.gz');

/** Makes the handler. */
export const docsHandlers = ({ baseUrl, dashboard }: DocsOptions): Handlers<'docs.show'> => {
  let document: OpenApiDocument | undefined;
  const loginAt = async (url: string): Promise<PageLogin | undefined> => {
    const script = dashboard && (await readdir(dashboard.folder)).find(isScript);
    if (dashboard === undefined || script === undefined) return undefined;
    const tenant = new URL(url, baseUrl()).searchParams.get('tenant') ?? undefined;
    const client = (await dashboard.clientOf(tenant)) ?? '';
    return { script: `/dashboard/${script.slice(0, -'.gz'.length)}`, client, tenant };
  };
  return {
    'docs.show': async ({ request, response }): Promise<typeof ANSWERED> => {
      document ??= openApiDocument(Object.values(serviceOperations), baseUrl());
      // Only at the address of the platform is there a login.
      const isHome = hostsAt(baseUrl()).includes(request.headers.host?.toLowerCase() ?? '');
      const login = isHome ? await loginAt(request.url ?? '/docs') : undefined;
      response.writeHead(200, login === undefined ? plain : withScript).end(docsPage(document, login));
      return ANSWERED;
    },
  };
};
