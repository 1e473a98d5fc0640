// A request whose headers are processed before its body is sent.
import { request as httpRequest } from 'node:http';

/**
 * Sends the headers of a POST, with that Authorization header or none. `finish` sends its JSON body and resolves with
 * the status.
 */
export const begun = (
  baseUrl: string,
  path: string,
  authorization: string | undefined,
  body: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ finish(): Promise<number> }> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...more,
      ...(authorization !== undefined && { authorization }),
      expect: '100-continue',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const { hostname, port } = new URL(baseUrl);
    const request = httpRequest({ hostname, port, path, method: 'POST', headers, agent: false });
    const status = new Promise<number>((answered, failed) => {
      request.on('response', (response) => {
        response.resume();
        answered(response.statusCode ?? 0);
      });
      request.on('error', failed);
    });
    status.catch(reject);
    request.on('continue', () => {
      resolve({
        finish: () => {
          request.end(body);
          return status;
        },
      });
    });
    request.flushHeaders();
  });
