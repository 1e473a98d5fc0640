// The route of the page of the contract: docs.show.
import { openApiDocument } from '../../../src/contract/openapi.ts';
import { operations } from '../../../src/contract/operations.ts';
import { headersOfPage } from '../../http/response/page-headers.ts';
import { ANSWERED, type Handlers } from '../../http/route-handler.ts';
import { docsPage } from './page.ts';
import { STYLE } from './style.ts';

/** Handler of `/docs`; the page is made once, when it is first asked for. */
export const docsHandlers = ({ baseUrl }: { readonly baseUrl: () => string }): Handlers<'docs.show'> => {
  let page: string | undefined;
  return {
    'docs.show': ({ response }) => {
      page ??= docsPage(openApiDocument(Object.values(operations), baseUrl()));
      response.writeHead(200, { ...headersOfPage(STYLE) }).end(page);
      return ANSWERED;
    },
  };
};
