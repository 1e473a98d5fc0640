// Sends one HTTP request. The path is sent byte for byte, and the complete response is returned.
import { Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import { Readable } from 'node:stream';
import { contradictions } from '../contract/openapi-check.ts';

export interface Call {
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent as an urlencoded form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent unchanged. A stream is sent in chunks unless a Content-Length is given. */
  readonly body?: string | Uint8Array | Readable;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed body, or undefined if it is not JSON. */
  readonly json: unknown;
  /** The `result` of the envelope, or an empty object if there is none. */
  readonly result: Readonly<Record<string, unknown>>;
}

/** A body of that media type. */
export const typed = (type: string, body: string | Uint8Array): Call => ({ body, headers: { 'content-type': type } });

const contentOf = ({ json, form, body }: Call): { type?: string; content?: Call['body'] } => {
  if (json !== undefined) return { type: 'application/json', content: JSON.stringify(json) };
  if (form !== undefined) {
    return { type: 'application/x-www-form-urlencoded', content: new URLSearchParams(form).toString() };
  }
  return body === undefined ? {} : { content: body };
};

const resultOf = (json: unknown): Answer['result'] =>
  typeof json === 'object' && json !== null && 'result' in json ? { ...(json.result ?? {}) } : {};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The certificates of tests have an authority of their own. Other tests check certificates. */
const TRUSTING = { rejectUnauthorized: false };

/** Connections that serve many requests. */
export interface KeptConnections {
  readonly plain: Agent;
  readonly secure: SecureAgent;
  close(): void;
}

/**
 * Connections to servers of this process. An idle one is closed long before the server does it, so that no request
 * meets the end of its connection.
 */
export const keptConnections = (): KeptConnections => {
  const options = { keepAlive: true, timeout: 1_000 };
  const [plain, secure] = [new Agent(options), new SecureAgent({ ...options, ...TRUSTING })];
  return {
    plain,
    secure,
    close: () => {
      for (const agent of [plain, secure]) agent.destroy();
    },
  };
};

/** Resumes TLS sessions, which costs less than new ones; each request has a connection of its own. */
const trusting = new SecureAgent(TRUSTING);

/**
 * Sends a request to `baseUrl`. Resolves with the response even if the server responds before it has read the whole
 * body.
 * @param connections without them the request has a connection of its own
 */
export const call = (
  baseUrl: string,
  method: string,
  path: string,
  asked: Call = {},
  connections?: KeptConnections,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port, protocol } = new URL(baseUrl);
    const isSecure = protocol === 'https:';
    const send = isSecure ? httpsRequest : httpRequest;
    const agent = (isSecure ? connections?.secure : connections?.plain) ?? (isSecure ? trusting : false);
    const { type, content } = contentOf(asked);
    const headers: OutgoingHttpHeaders = { ...(type !== undefined && { 'content-type': type }), ...asked.headers };
    if (content !== undefined && !(content instanceof Readable) && headers['content-length'] === undefined) {
      headers['content-length'] = Buffer.byteLength(content);
    }
    let answered = false;
    const request = send(
      { hostname, port, method, path, headers, agent, ...(asked.signal && { signal: asked.signal }) },
      (response) => {
        answered = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const json = parsed(text);
          const { statusCode: status = 0, headers } = response;
          const wrong = contradictions(baseUrl, method, path, { status, headers, text, json });
          if (wrong.length > 0) reject(new Error(`the answer is not what openapi.json says:\n${wrong.join('\n')}`));
          resolve({ status, headers, text, bytes, json, result: resultOf(json) });
          // Closes the connection, unless the request is complete and the connection serves others.
          request.destroy();
        });
      },
    );
    // A refused body breaks the sending side. The response decides.
    request.on('error', (error) => {
      if (!answered) reject(error);
    });
    if (content instanceof Readable) content.pipe(request);
    else request.end(content);
  });
