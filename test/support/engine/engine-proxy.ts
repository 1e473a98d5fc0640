// A proxy in front of the container engine that notes every request.
import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

export interface EngineProxy {
  readonly host: string;
  /** Method and path of each request so far, with `REF` for the name of a container, and its body. */
  readonly requests: { readonly line: string; readonly body: string }[];
  /** The events of the engine that were passed on so far. */
  events(): string;
  /** Holds back requests of that line from now on. Returns the function that lets them through. */
  hold(line: string): () => void;
  close(): Promise<void>;
}

/**
 * @param enginePath the engine's socket
 * @param changes of responses, by the method and path of the request
 */
export const engineProxy = async (
  enginePath = '/var/run/docker.sock',
  changes: Readonly<Record<string, (answer: Record<string, unknown>) => Record<string, unknown>>> = {},
): Promise<EngineProxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-proxy-'));
  const socketPath = join(folder, 'engine.sock');
  const requests: { line: string; body: string }[] = [];
  const held = new Map<string, Promise<void>>();
  let events = '';
  const server = http.createServer(async (request, response) => {
    const { method, url: path = '', headers } = request;
    const noted = {
      line: `${method} ${path.replace(/^\/v[\d.]+/, '').replace(/actorctl-test-[\w.-]+/, 'REF')}`,
      body: '',
    };
    requests.push(noted);
    await held.get(noted.line.replace(/\?.*/, ''));
    const forwarded = http.request({ socketPath: enginePath, method, path, headers }, (answer) => {
      const change = changes[noted.line.replace(/\?.*/, '')];
      if (change !== undefined) {
        response.statusCode = answer.statusCode ?? 500;
        void json(answer).then((whole) => response.end(JSON.stringify(change(whole as Record<string, unknown>))));
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      if (noted.line.startsWith('GET /events')) answer.on('data', (chunk: Buffer) => (events += chunk.toString()));
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
    events: () => events,
    hold: (line) => {
      let open: () => void = () => undefined;
      held.set(line, new Promise((resolve) => (open = resolve)));
      return () => {
        held.delete(line);
        open();
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
