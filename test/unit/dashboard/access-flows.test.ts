// OAuth flows of the dashboard: requests, responses, command lines, and the displayed parts.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bodyFields, isOwnPage, redirectFields } from '../../../daemon/web/dashboard/views/access/try/answers.ts';
import { newAttempt } from '../../../daemon/web/dashboard/views/access/try/attempt.ts';
import { curlOf } from '../../../daemon/web/dashboard/views/access/try/commands.ts';
import {
  clientRequest,
  codeRequest,
  type FlowRequest,
  inspectRequest,
  passwordRequest,
  profileRequest,
  refreshRequest,
} from '../../../daemon/web/dashboard/views/access/try/requests.ts';
import { careOf, MASK, masked, shortened } from '../../../daemon/web/dashboard/views/access/try/shown.ts';
import { codeStep, refreshStep } from '../../../daemon/web/dashboard/views/access/try/steps.ts';

const ORIGIN = 'http://127.0.0.1:8722';
const confidential = { id: 'client-1', secret: 's3cret+/ü' };
const open = { id: 'client-2', secret: undefined };
const form = ({ form: fields }: FlowRequest) => Object.fromEntries(fields.map(({ name, value }) => [name, value]));
const header = ({ headers }: FlowRequest, wanted: string) => headers.find(({ name }) => name === wanted)?.value;

describe('the requests of a flow', () => {
  it('have the secret of the client in a header, form-encoded', () => {
    const request = passwordRequest(confidential, 'ana', 'pass word');
    expect(form(request)).toEqual({
      grant_type: 'password',
      username: 'ana',
      password: 'pass word',
      scope: 'PRODUCTION',
    });
    const basic = header(request, 'authorization') ?? '';
    expect(atob(basic.replace('Basic ', ''))).toBe('client-1:s3cret%2B%2F%C3%BC');
  });

  it('have the id of a public client in the form', () => {
    const request = codeRequest(open, { code: 'c', redirectUri: 'http://x/', verifier: 'v' });
    expect(header(request, 'authorization')).toBeUndefined();
    expect(form(request)).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'http://x/',
      code_verifier: 'v',
      client_id: 'client-2',
    });
  });

  it('ask for approval with a state and a challenge of their own each time', async () => {
    const wanted = { clientId: 'c', redirectUri: 'http://x/cb?a=1', issuer: ORIGIN, askAgain: true } as const;
    const [one, other] = await Promise.all([
      newAttempt({ ...wanted, flow: 'code' }),
      newAttempt({ ...wanted, flow: 'code' }),
    ]);
    expect(one.state).not.toBe(other.state);
    const query = new URL(one.step.request.path, ORIGIN).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      redirect_uri: 'http://x/cb?a=1',
      state: one.state,
      code_challenge_method: 'S256',
    });
    expect(one.step.request.path).not.toContain(one.verifier);
    const implicit = new URL((await newAttempt({ ...wanted, flow: 'implicit' })).step.request.path, ORIGIN);
    expect([...implicit.searchParams.keys()]).not.toContain('code_challenge');
    expect(implicit.searchParams.get('show_dialog')).toBe('true');
  });
});

describe('R191 a secret of a flow', () => {
  const token = 'abcdefghijklmnopqrstuvwxyz0123456789';
  it.each([
    [{ name: 'password', value: token }, 'typed'],
    [{ name: 'client_secret', value: token }, 'typed'],
    [{ name: 'authorization', value: `Basic ${token}` }, 'typed'],
    [{ name: 'Authorization', value: `Bearer ${token}` }, 'issued'],
    [{ name: 'code', value: token }, 'issued'],
    [{ name: 'code_verifier', value: token }, 'issued'],
    [{ name: 'access_token', value: token }, 'issued'],
    [{ name: 'refresh_token', value: token }, 'issued'],
    [{ name: 'token', value: token }, 'issued'],
    [{ name: 'state', value: token }, 'plain'],
  ] as const)('%j is %s', (field, care) => {
    expect(careOf(field)).toBe(care);
  });

  it('is shortened to its beginning, and a short one to nothing', () => {
    expect([shortened(token), shortened(`Bearer ${token}`), shortened('short-secret')]).toEqual([
      'abcdef…',
      'Bearer abcdef…',
      '…',
    ]);
    expect([masked(token), masked(`Basic ${token}`)]).toEqual([MASK, `Basic ${MASK}`]);
  });
});

describe('R192 the response of an authorization', () => {
  const expected = { redirectUri: 'http://127.0.0.1:3000/callback', state: 'st', issuer: ORIGIN };
  const iss = encodeURIComponent(ORIGIN);
  const read = (address: string) =>
    Object.fromEntries(redirectFields(address, expected).map(({ name, value }) => [name, value]));

  it('is read from the query, and from the fragment of the implicit flow', () => {
    expect(read(`${expected.redirectUri}?code=c&state=st&iss=${iss}`)).toEqual({ code: 'c', state: 'st', iss: ORIGIN });
    expect(read(` ${expected.redirectUri}#access_token=t&state=st&iss=${iss} `)).toMatchObject({ access_token: 't' });
    const refused = `error=access_denied&state=st&iss=${iss}`;
    expect(read(`${expected.redirectUri}?${refused}#${refused}`)).toMatchObject({ error: 'access_denied' });
  });

  it.each([
    ['no address', 'not an address'],
    ['', 'not an address'],
    ['javascript:alert(1)', 'does not begin with'],
    [`http://127.0.0.1:3001/callback?code=c&state=st&iss=${iss}`, 'does not begin with'],
    [`http://127.0.0.1:3000/callback/x?code=c&state=st&iss=${iss}`, 'does not begin with'],
    [`${expected.redirectUri}?code=c&iss=${iss}`, 'state'],
    [`${expected.redirectUri}?code=c&state=other&iss=${iss}`, 'state'],
    [`${expected.redirectUri}?code=c&state=st&state=st&iss=${iss}`, 'state twice'],
    [`${expected.redirectUri}?code=c&code=d&state=st&iss=${iss}`, 'code twice'],
    [`${expected.redirectUri}#access_token=c&access_token=d&state=st&iss=${iss}`, 'access_token twice'],
    [`${expected.redirectUri}?code=c&state=st`, 'issuer'],
    [`${expected.redirectUri}?code=c&state=st&iss=http%3A%2F%2Fevil`, 'issuer'],
  ])('of another request is refused: %s', (address, why) => {
    expect(() => read(address)).toThrow(why);
  });

  it.each([
    [`${ORIGIN}/`, true],
    [ORIGIN, true],
    [`${ORIGIN}/?tenant=DEV`, true],
    [`${ORIGIN}/callback`, false],
    ['http://127.0.0.1:8723/', false],
    ['com.example.app:/', false],
    ['nothing', false],
  ])('reaches the page automatically if the redirect URI is %s: %s', (uri, own) => {
    expect(isOwnPage(uri, ORIGIN)).toBe(own);
  });

  it('of the token endpoint is shown whatever its body is', () => {
    expect(bodyFields('{"access_token":"t","expires_in":5,"x":{"a":null}}')).toEqual([
      { name: 'access_token', value: 't' },
      { name: 'expires_in', value: '5' },
      { name: 'x', value: '{"a":null}' },
    ]);
    expect([bodyFields(''), bodyFields('<b>'), bodyFields('[1]')]).toEqual([
      [],
      [{ name: '', value: '<b>' }],
      [{ name: '', value: '[1]' }],
    ]);
  });
});

describe('the curl line of a request', () => {
  /** What curl gets: arguments and standard input, one on each line. `read` gets the lines of `typed`. */
  const sent = (request: FlowRequest, clientId: string, typed: string): string =>
    execFileSync(
      'bash',
      ['-c', `curl() { printf '<%s>' "$@"; echo; if [ ! -t 0 ]; then cat; fi; }; ${curlOf(request, ORIGIN, clientId)}`],
      { input: typed, encoding: 'utf8' },
    );

  it('prompts for secrets and passes them through a pipe', () => {
    const request = passwordRequest(confidential, "o'ana", 'the password');
    expect(curlOf(request, ORIGIN, 'client-1')).not.toMatch(/the password|s3cret/);
    expect(sent(request, 'client-1', 'p4ss & word\n')).toBe(
      "password: <-u><client-1><--data-urlencode><password@-><-d><grant_type=password><--data-urlencode><username=o'ana>" +
        `<-d><scope=PRODUCTION><${ORIGIN}/token>\np4ss & word`,
    );
  });

  it('sends the code and its verifier of a public client', () => {
    const request = codeRequest(open, { code: 'the-code', redirectUri: 'http://x/?a=1', verifier: 'the-verifier' });
    expect(sent(request, 'client-2', 'c0de\nv3rifier\n')).toBe(
      'code: code_verifier: <-d><@-><-d><grant_type=authorization_code><--data-urlencode><redirect_uri=http://x/?a=1>' +
        `<-d><client_id=client-2><${ORIGIN}/token>\ncode=c0de&code_verifier=v3rifier`,
    );
  });

  it.each([
    [clientRequest(confidential), /^curl -u client-1 -d grant_type=client_credentials /],
    [
      refreshRequest(confidential, 'tok'),
      /printf %s "\$REFRESH_TOKEN" \| curl -u client-1 --data-urlencode refresh_token@- /,
    ],
    [inspectRequest(confidential, 'tok'), /printf %s "\$TOKEN" \| curl -u client-1 --data-urlencode token@- /],
    [profileRequest('tok'), /printf 'Authorization: Bearer %s' "\$ACCESS_TOKEN" \| curl -H @- http/],
  ])('contains no secret: %#', (request, line) => {
    const text = curlOf(request, ORIGIN, 'client-1');
    expect(text).toMatch(line);
    expect(text).not.toMatch(/tok\b|s3cret/);
  });
});

it('the actorctl line of a step names the client and no secret', () => {
  const redeemed = { code: 'the-code', redirectUri: 'http://x/', verifier: 'the-verifier' };
  expect(codeStep(confidential, redeemed).line).toBe(
    'actorctl auth exchange --client client-1 --redirect-uri http://x/ --code - --client-secret-stdin --code-verifier-stdin --show',
  );
  expect(codeStep(open, redeemed).line).not.toContain('--client-secret-stdin');
  expect(refreshStep(open, 'the-token').line).not.toContain('the-token');
});
