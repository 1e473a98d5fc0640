// A proxy in front of the container engine that notes every request.
import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface EngineProxy {
  readonly host: string;
  /** Method and path of each request so far, with `REF` for the name of a container, and its body. */
  readonly requests: { readonly line: string; readonly body: string }[];
  close(): Promise<void>;
}

/** @param enginePath the engine's socket */
export const engineProxy = async (enginePath = '/var/run/docker.sock'): Promise<EngineProxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-proxy-'));
  const socketPath = join(folder, 'engine.sock');
  const requests: { line: string; body: string }[] = [];
  const server = http.createServer((request, response) => {
    const { method, url: path = '', headers } = request;
    const noted = {
      line: `${method} ${path.replace(/^\/v[\d.]+/, '').replace(/actorctl-test-[\w.-]+/, 'REF')}`,
      body: '',
    };
    requests.push(noted);
    const forwarded = http.request({ socketPath: enginePath, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.on('data', (chunk: Buffer) => {
      noted.body += chunk;
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    host: `unix://${socketPath}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
