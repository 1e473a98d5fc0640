// Handler of the API documentation page.
import { openApiDocument } from '../../../src/contract/openapi.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { headersOfPage } from '../../http/response/page-headers.ts';
import { ANSWERED, type Handlers } from '../../http/route-handler.ts';
import { docsPage } from './page.ts';
import { STYLE } from './style.ts';

/** Makes the handler. The page is rendered at the first request and then cached. */
export const docsHandlers = ({ baseUrl }: { readonly baseUrl: () => string }): Handlers<'docs.show'> => {
  let page: string | undefined;
  return {
    'docs.show': ({ response }) => {
      page ??= docsPage(openApiDocument(Object.values(serviceOperations), baseUrl()));
      response.writeHead(200, { ...headersOfPage(STYLE) }).end(page);
      return ANSWERED;
    },
  };
};
