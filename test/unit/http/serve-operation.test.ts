// Serving one operation: credentials, guard, query, body, handler and response. It is over 250 lines because all cases
// share the handlers that the test plays.
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import { ANSWERED, type HandlerBase } from '../../../daemon/http/route-handler.ts';
import { serveOperation } from '../../../daemon/http/serve-operation.ts';
import { type Operation, routeParameters } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/contract/operations.ts';
import { as, type BareApp, parseAnswer, startBareApp } from '../../support/service/bare-app.ts';

type Context = HandlerBase<Operation> & Readonly<Record<string, unknown>>;
/** Plays the handler of the operations below. */
let play: (context: Context) => unknown;
const done = { result: { fine: true }, message: 'Done.' };
const played = (context: unknown) => play(context as Context) as never;
const handlers = {
  'actors.create': played,
  'actors.update': played,
  'aliases.show': played,
  'alias-nonces.list': played,
  'clients.create': played,
  'configs.show': played,
  'messages.send': played,
  'executions.list': played,
  'token.create': played,
  'tenants.list': played,
};

const uses: string[] = [];
const holder = { nonceId: 'n1', tenant: 'DEV', username: 'nora', roles: [] };
const held = (use: string) => () => {
  uses.push(use);
  return holder;
};
const nonces = { holder: held('holder'), still: held('still'), redeem: async () => void uses.push('redeem') };

let server: BareApp;
beforeEach(async () => {
  server = await startBareApp({ handlers, nonces });
});
afterEach(() => server.close());

const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
/** The context with which the handler is called for this request. */
const contextOf = async (method: string, path: string, headers: string[] = as('ana'), body?: string) => {
  let context: Context | undefined;
  play = (given) => {
    context = given;
    return done;
  };
  const answer = await server.ask(method, path, headers, body);
  if (context === undefined) throw new Error(answer.text);
  return context;
};

/** Sends the head of a request, and its body once `arrives` resolves. */
const late = async (first: string, headers: string[], body: string, arrives: () => Promise<unknown>) => {
  const socket = connect(server.port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (data) => {
    text += data;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const lines = [`${first} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, 'Connection: close', ...headers];
  socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`);
  await arrives();
  socket.write(body);
  await closed;
  return parseAnswer(text);
};

describe('credentials', () => {
  it('are challenged with the schemes of the operation', async () => {
    play = () => {
      throw new Failure('AUTH_FAILED', 'No.');
    };
    const challenge = async (path: string, method = 'GET', of = server) =>
      (await of.ask(method, path)).headers['www-authenticate'];
    const basic = 'Basic realm="actorctl", charset="UTF-8"';
    const bearer = 'Bearer realm="actorctl"';
    expect(await challenge('/tenants')).toBe(basic);
    expect(await challenge('/clients/v2')).toBe(`${bearer}, ${basic}`);
    expect(await challenge('/actors/v2')).toBe(bearer);
    expect(server.checked.slice(-2)).toEqual(['nobody basic', 'nobody']);
    const inner = await startBareApp({ handlers, onlyExecutionTokens: true });
    expect(await challenge('/tenants', 'GET', inner)).toBe(bearer);
    expect(await challenge('/clients/v2', 'GET', inner)).toBe(bearer);
    expect(inner.checked).toEqual(['nobody', 'nobody']);
    await inner.close();
  });

  it('are not looked at for a public operation', async () => {
    const before = server.checked.length;
    expect((await contextOf('GET', '/tenants'))['caller']).toBeUndefined();
    expect(server.checked).toHaveLength(before);
  });

  it('of an admin are needed for some operations, and are checked before the path', async () => {
    expect((await server.ask('GET', '/users/v2', as('ana'))).status).toBe(403);
    expect((await server.ask('GET', '/users/v2', as('root'))).status).toBe(200);
    expect((await server.ask('GET', '/users/v2/a%2Fb', as('root'))).status).toBe(404);
    expect((await server.ask('GET', '/users/v2/a%2Fb', as('ana'))).status).toBe(403);
    expect((await server.ask('GET', '/actors/v2/a%2Fb', as('ana'))).status).toBe(404);
    expect((await server.ask('GET', '/actors/v2/a%2Fb')).status).toBe(401);
  });
});

describe('the context of a handler', () => {
  it('has what the guard found', async () => {
    const found = async (path: string) => {
      const { caller, actor, alias, config } = await contextOf('GET', path);
      return { caller, actor, alias, config };
    };
    const caller = { tenant: 'DEV', username: 'ana', roles: [] };
    expect(await found('/actors/v2/a1/executions')).toMatchObject({ caller, actor: { id: 'a1' } });
    expect(await found('/actors/v2/aliases/b')).toEqual({ caller, alias: { name: 'b', level: 'READ' } });
    expect(await found('/actors/v2/configs/c')).toEqual({ caller, config: { name: 'c', level: 'READ' } });
    expect(await found('/actors/v2/aliases/b/nonces')).toMatchObject({ alias: { name: 'b' }, actor: { id: 'behind' } });
  });

  it('has names, query, id and the body', async () => {
    const path = '/actors/v2/a1?x=1&x=2&Image=q';
    const context = await contextOf('PUT', path, [...as('ana'), JSON_TYPE], '{"image": "i",  "maxWorkers": 2}');
    expect(context).toMatchObject({ params: { actorId: 'a1' }, input: { image: 'i', maxWorkers: 2 } });
    expect({ ...context.sentQuery }).toEqual({ x: ['1', '2'], Image: 'q' });
    expect(context.bodyText()).toBe('{"image": "i",  "maxWorkers": 2}');
    expect(context.requestId).toMatch(/^request\d+$/);
    const form = await contextOf('PUT', '/actors/v2/a1', [...as('ana'), FORM_TYPE], 'image=i');
    expect([form.input, form.bodyText()]).toEqual([expect.objectContaining({ image: 'i' }), undefined]);
    const typed = await contextOf('PUT', '/actors/v2/a1', [...as('ana'), FORM_TYPE], 'image=i&max_workers=2&x=1');
    expect(typed.input).toMatchObject({ maxWorkers: 2 });
    expect({ ...typed.sentInput }).toEqual({ image: 'i', maxWorkers: '2' });
    const none = await contextOf('GET', '/actors/v2/a1/executions');
    expect([none.input, none.bodyText(), none.sentQuery]).toEqual([undefined, undefined, {}]);
  });

  it('has the dialect of the listener', async () => {
    expect((await contextOf('GET', '/actors/v2/a1/executions')).dialect).toBe('modern');
    let dialect: unknown;
    play = (given) => {
      dialect = given.dialect;
      return done;
    };
    const legacy = await startBareApp({ handlers, legacy: { rules: {}, added: [], refusal: () => undefined } });
    await legacy.ask('GET', '/actors/v2/a1/executions', as('ana'));
    await legacy.close();
    expect(dialect).toBe('legacy');
  });

  it('has no body if the operation accepts none', async () => {
    const context = await contextOf('GET', '/actors/v2/a1/executions', [...as('ana'), JSON_TYPE], '{broken');
    expect([context.input, context.bodyText()]).toEqual([undefined, undefined]);
  });

  it('leaves the body of a message to the handler', async () => {
    play = async ({ request, input }) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      return { result: { text, input: input ?? null }, message: 'Done.' };
    };
    const answer = await server.ask('POST', '/actors/v2/a1/messages', [...as('ana'), JSON_TYPE], '{broken');
    expect(answer.json()).toMatchObject({ result: { text: '{broken', input: null } });
  });
});

describe('query parameters', () => {
  it('are fields of a form of the actor service, unless the body has them', async () => {
    const input = async (query: string, body?: string, path = '/actors/v2/a1', method = 'PUT') => {
      const context = await contextOf(method, `${path}?${query}`, [...as('ana'), JSON_TYPE], body);
      return context.input;
    };
    const query = 'image=q&description=d';
    expect(await input(query)).toMatchObject({ image: 'q', description: 'd' });
    expect(await input(query, '{"image":"b"}')).toMatchObject({ image: 'b', description: 'd' });
    expect(await input(query, '{"image":"b","__proto__":{"description":"p"}}')).toMatchObject({
      image: 'b',
      description: 'd',
    });
    expect(await input('description=d', '{"clientName":"c"}', '/clients/v2', 'POST')).toEqual({ clientName: 'c' });
    for (const body of ['[]', 'null', '"x"', '1']) {
      play = () => done;
      const answer = await server.ask('PUT', `/actors/v2/a1?${query}`, [...as('ana'), JSON_TYPE], body);
      expect([body, answer.status]).toEqual([body, 400]);
      expect(answer.json()).toMatchObject({ message: 'The body must be a JSON object.' });
    }
  });

  it('of the route itself are no fields', async () => {
    play = () => done;
    for (const name of routeParameters) {
      const answer = await server.ask('PUT', `/actors/v2/a1?${name}=x`, [...as('ana'), JSON_TYPE], '{"image":"b"}');
      expect(answer.text).toContain('"message":"Done."');
    }
    const other = await server.ask('PUT', '/actors/v2/a1?other=x', [...as('ana'), JSON_TYPE], '{"image":"b"}');
    expect(other.text).toMatch(/"message":"Done\.[^"]*other/);
  });

  it.each(['pretty', 'naked'])('%s is a flag', async (name) => {
    play = () => done;
    const shown = async (value: string) => (await server.ask('GET', `/tenants?${name}${value}`)).text;
    const plain = (await server.ask('GET', '/tenants')).text;
    expect(plain).toBe('{"message":"Done.","result":{"fine":true},"status":"success","version":"1.9.1"}');
    const set = await shown('');
    expect(set).toBe(name === 'pretty' ? JSON.stringify(JSON.parse(plain), null, 2) : '{"fine":true}');
    for (const value of ['=', '=1', '=true', '=TRUE', '=yes']) expect(await shown(value)).toBe(set);
    for (const value of ['=0', '=false', '=no', '=1x', '=x1', `=1&${name}=1`]) expect(await shown(value)).toBe(plain);
  });

  it('that cannot be read are refused after the credentials', async () => {
    expect((await server.ask('GET', '/actors/v2/a1/executions?x=%zz')).status).toBe(401);
    const answer = await server.ask('GET', '/actors/v2/a1/executions?x=%zz&naked=1', as('ana'));
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([400, 'VALIDATION']);
  });

  it('that fail in another way are an internal error', async () => {
    const options = { authenticate: () => undefined, access: {}, limits: {}, stopping: {}, starting: () => false };
    const serve = serveOperation(operations['tenants.list'], played, options as never);
    const request = {
      url: '/tenants?x',
      get query() {
        throw new TypeError('a fault');
      },
    };
    const response = { locals: { exchange: {} } };
    await expect(serve(request as never, response as never, () => undefined)).rejects.toThrow('a fault');
  });
});

describe('a failure of a handler', () => {
  const failing = async (thrown: unknown, headers = as('ana'), body?: string) => {
    play = () => {
      throw thrown;
    };
    return server.ask(
      body === undefined ? 'GET' : 'POST',
      body === undefined ? '/tenants' : '/actors/v2',
      headers,
      body,
    );
  };
  const faults = () => server.log.filter(({ message }) => message === 'internal error');

  it('is returned to the caller, and not logged', async () => {
    const before = faults().length;
    expect((await failing(new Failure('NOT_FOUND', 'There is none.'))).json()).toMatchObject({
      message: 'There is none.',
    });
    expect(faults()).toHaveLength(before);
  });

  it.each([
    new TypeError('a secret'),
    new Failure('INTERNAL', 'a secret'),
    new Failure('RUNTIME_UNAVAILABLE', 'a secret'),
  ])('is returned with the request id only, and logged, if it is not a refusal: %s', async (thrown) => {
    const answer = await failing(thrown);
    const id = answer.headers['x-request-id'];
    expect([answer.status, answer.json()]).toMatchObject([500, { message: `internal error (request ${id})` }]);
    expect(faults().at(-1)).toMatchObject({
      level: 'error',
      fields: { requestId: id, route: 'GET /tenants', error: thrown },
    });
  });

  it('names fields as they were sent', async () => {
    const headers = [...as('ana'), JSON_TYPE];
    const refused = () => new Failure('VALIDATION', 'maxWorkers is wrong', { field: 'maxWorkers' });
    expect((await failing(refused(), headers, '{"image":"i","max_workers":1}')).json()).toMatchObject({
      message: 'max_workers is wrong',
    });
    expect((await failing(refused())).json()).toMatchObject({ message: 'maxWorkers is wrong' });
  });

  it('after the start of the response closes the connection', async () => {
    play = ({ response }) => {
      response.writeHead(200).write('half');
      throw new TypeError('too late');
    };
    const answer = await server.raw(`GET /tenants HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
    expect(answer).not.toContain('internal error');
    expect(faults().at(-1)?.fields['error']).toMatchObject({ message: 'too late' });
  });

  it('whose client is gone is not logged', async () => {
    const before = faults().length;
    const left = new Promise<void>((resolve) => {
      play = ({ response }) => {
        response.destroy();
        resolve();
        throw new TypeError('aborted');
      };
    });
    await server.raw(`GET /tenants HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
    await left;
    await server.ask('GET', '/healthz');
    expect(faults()).toHaveLength(before);
  });
});

describe('a response', () => {
  it('names the fields that were ignored', async () => {
    play = () => done;
    const headers = [...as('ana'), JSON_TYPE];
    const answer = await server.ask('POST', '/clients/v2', headers, '{"clientName":"c","colour":1}');
    expect(answer.text).toMatch(/"message":"Done\. [^"]*colour/);
    expect((await server.ask('POST', '/clients/v2', headers, '{"clientName":"c"}')).text).toContain('"Done."');
  });

  it('may be written by the handler', async () => {
    play = ({ response }) => {
      response.writeHead(201, { 'Content-Length': 2 }).end('ok');
      return ANSWERED;
    };
    expect(await server.ask('GET', '/tenants')).toMatchObject({ status: 201, text: 'ok' });
    expect(server.log.map(({ message }) => message)).not.toContain('internal error');
  });
});

describe('a body that arrives after the headers', () => {
  const steps = new EventEmitter();
  const wasChecked = (count: number) => () => expect.poll(() => server.checked).toHaveLength(count);

  it('has the credentials checked again, unless there is none', async () => {
    play = () => done;
    const headers = [...as('ana'), JSON_TYPE];
    const body = '{"image":"i"}';
    const before = server.checked.length;
    expect((await late('PUT /actors/v2/a1', headers, body, wasChecked(before + 1))).status).toBe(200);
    expect(server.checked).toHaveLength(before + 2);
    await server.ask('PUT', '/actors/v2/a1', headers, body);
    expect(server.checked).toHaveLength(before + 3);
  });

  it('of a message has the credentials checked again when the handler reads it', async () => {
    for (const [isLate, extra] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const before = server.checked.length;
      const called = new Promise((resolve) => steps.once('called', resolve));
      play = async ({ request, finishAuthorization }) => {
        steps.emit('called');
        for await (const _ of request);
        const checked = server.checked.length;
        await finishAuthorization();
        expect(server.checked.length - checked).toBe(extra);
        return done;
      };
      const sent = isLate
        ? late('POST /actors/v2/a1/messages', as('ana'), 'x', () => called)
        : server.ask('POST', '/actors/v2/a1/messages', as('ana'), 'x');
      expect((await sent).status).toBe(200);
      expect(server.checked.length - before).toBe(1 + extra);
    }
  });

  it('of a nonce costs one use, after the body', async () => {
    uses.length = 0;
    const called = new Promise((resolve) => steps.once('called', resolve));
    play = async ({ request, finishAuthorization, reauthorize }) => {
      steps.emit('called');
      for await (const _ of request);
      expect(uses).toEqual(['holder']);
      await finishAuthorization();
      expect(uses).toEqual(['holder', 'holder', 'redeem']);
      await finishAuthorization();
      expect(uses).toEqual(['holder', 'holder', 'redeem']);
      expect(await reauthorize()).toBe(holder);
      return done;
    };
    const answer = await late('POST /actors/v2/a1/messages?x-nonce=n', [], 'x', () => called);
    expect([answer.status, uses]).toEqual([200, ['holder', 'holder', 'redeem', 'still']]);
  });
});

describe('a nonce', () => {
  it('is used once, before the handler runs, or after it if the handler reads a message', async () => {
    for (const [method, path, seen] of [
      ['GET', '/actors/v2/a1/executions', ['holder', 'redeem']],
      ['POST', '/actors/v2/a1/messages', ['holder']],
    ] as const) {
      uses.length = 0;
      let during: string[] = [];
      play = ({ caller }) => {
        during = [...uses];
        expect(caller).toBe(holder);
        return done;
      };
      expect((await server.ask(method, `${path}?x-nonce=n`)).status).toBe(200);
      expect([during, uses]).toEqual([seen, ['holder', 'redeem']]);
    }
  });

  it('in the header is read although the query is broken, and is not used then', async () => {
    uses.length = 0;
    const answer = await server.ask('GET', '/actors/v2/a1/executions?x=%zz', ['X-Nonce: n']);
    expect([answer.status, uses]).toEqual([400, ['holder']]);
  });

  it('is ignored for other operations, without nonces and on the listener for containers', async () => {
    uses.length = 0;
    play = () => done;
    const without = await startBareApp({ handlers });
    const inner = await startBareApp({ handlers, nonces, onlyExecutionTokens: true });
    expect((await server.ask('GET', '/actors/v2?x-nonce=n')).status).toBe(401);
    expect((await server.ask('GET', '/actors/v2/configs/c?x-nonce=n')).status).toBe(401);
    expect((await without.ask('GET', '/actors/v2/a1/executions?x-nonce=n')).status).toBe(401);
    expect((await inner.ask('GET', '/actors/v2/a1/executions?x-nonce=n')).status).toBe(401);
    await without.close();
    await inner.close();
    expect(uses).toEqual([]);
  });
});
