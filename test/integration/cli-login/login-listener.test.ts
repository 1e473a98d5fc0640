// The loopback listener on its own: which requests it accepts, and when it ends.
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Listener, type ListenerInput, listenForAnswer } from '../../../src/client/login/listener.ts';
import { CliFailure } from '../../../src/failure.ts';
import { ask } from '../../support/daemon/login-process.ts';

/** Returns a port that is free at this moment. */
const freePort = async (): Promise<number> => {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const listening = async (work: (listener: Listener) => Promise<void>, input: Partial<ListenerInput> = {}) => {
  const listener = await listenForAnswer({
    ports: [await freePort()],
    responseType: 'code',
    fits: (parameters) =>
      parameters.get('state') !== 's' ? 'foreign' : parameters.has('error') ? 'refused' : 'arrived',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...input,
  });
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
};

describe('R160 the listener', () => {
  it.each([
    ['another host name', '/callback?code=c&state=s', { host: 'localhost:1' }, 421],
    ['a longer path', '/callback/?code=c&state=s', {}, 404],
    ['a path in another letter case', '/Callback?code=c&state=s', {}, 404],
    ['a request without parameters', '/callback', {}, 400],
    ['an image request of another page', '/callback?code=c&state=s', { 'sec-fetch-mode': 'no-cors' }, 403],
    ['the closing page before the answer', '/callback/arrived', {}, 404],
  ] satisfies [string, string, Record<string, string>, number][])(
    'refuses %s',
    async (_name, target, headers, status) => {
      await listening(async ({ port, answer }) => {
        const page = await ask(`http://127.0.0.1:${port}${target}`, { headers });
        expect(page.status).toBe(status);
        expect(page.html).not.toContain('code=c');
        // The refused request does not end the wait: the listener still accepts the redirect with the code.
        const good = await ask(`http://127.0.0.1:${port}/callback?code=good&state=s`);
        expect(good.status).toBe(303);
        expect((await answer).get('code')).toBe('good');
        await ask(`http://127.0.0.1:${port}/callback/arrived`);
      });
    },
  );

  it('accepts one response and refuses a second one', async () => {
    await listening(async ({ port, redirectUri, answer }) => {
      expect(redirectUri).toBe(`http://127.0.0.1:${port}/callback`);
      await ask(`${redirectUri}?code=first&state=s`);
      expect((await ask(`${redirectUri}?code=second&state=s`)).status).toBe(404);
      expect((await answer).get('code')).toBe('first');
      await ask(`http://127.0.0.1:${port}/callback/arrived`);
    });
  });

  it.each([
    ['of another login', 'code=stolen&state=other'],
    ['without a state', 'code=stolen'],
    ['with the refusal of another login', 'error=access_denied&state=other'],
  ])(
    'R241 shows an error page for a response %s, and keeps waiting for the matching response',
    async (_name, query) => {
      await listening(async ({ port, redirectUri, answer }) => {
        const foreign = await ask(`${redirectUri}?${query}`);
        expect([foreign.status, foreign.headers.location]).toEqual([303, '/callback/foreign#']);
        const page = await ask(`http://127.0.0.1:${port}/callback/foreign`);
        expect(page.status).toBe(400);
        expect(page.html).toContain('still waiting');
        await ask(`${redirectUri}?code=good&state=s`);
        expect((await answer).get('code')).toBe('good');
        await ask(`http://127.0.0.1:${port}/callback/arrived`);
      });
    },
  );

  it('responds on ::1 too, for port forwarders that use it', async () => {
    await listening(async ({ port, answer }) => {
      const page = await ask(`http://[::1]:${port}/callback?code=c&state=s`, {
        headers: { host: `127.0.0.1:${port}` },
      });
      expect(page.status).toBe(303);
      expect((await answer).get('code')).toBe('c');
      await ask(`http://127.0.0.1:${port}/callback/arrived`);
    });
  });

  it('fails after its time limit with advice', async () => {
    await listening(
      async ({ answer }) => {
        const failure = await answer.catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(CliFailure);
        expect(failure).toMatchObject({ code: 'AUTH_FAILED', message: 'no login response arrived in time' });
      },
      { timeoutMs: 20 },
    );
  });

  it('ends at an interruption', async () => {
    const stop = new AbortController();
    await listening(
      async ({ answer }) => {
        stop.abort();
        await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' });
      },
      { signal: stop.signal },
    );
  });

  it('is closed after the login', async () => {
    let port = 0;
    await listening(async (listener) => {
      port = listener.port;
    });
    await expect(ask(`http://127.0.0.1:${port}/callback?code=c`)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('R162 the pages of the listener', () => {
  it('repeat no part of the request', async () => {
    await listening(async ({ redirectUri, port }) => {
      const callback = await ask(`${redirectUri}?error=%3Cscript%3Ealert(1)&state=s`);
      expect(callback.headers.location).toBe('/callback/refused#');
      expect(callback.headers['referrer-policy']).toBe('no-referrer');
      const page = await ask(`http://127.0.0.1:${port}/callback/refused`);
      expect(page.html).not.toContain('alert');
      expect(page.headers['cache-control']).toBe('no-store');
      expect(page.headers['x-frame-options']).toBe('DENY');
    });
  });
});
