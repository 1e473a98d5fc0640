// `api`: sends any request to the service with authentication, and prints the response unchanged.

import { STATUS_CODES } from 'node:http';
import { failureOf } from '../../client/answer.ts';
import type { Authentication } from '../../client/call.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import { parseExact } from '../../contract/exact-json.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { type Route, routes } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { prettyJson } from '../../ui/format/json-text.ts';
import { OwnNames } from '../../ui/format/names.ts';
import type { View } from '../../ui/format/view.ts';
import { stripControl } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { choice, flag, several, text, texts } from '../framework/option.ts';
import { passwordFromStdin } from '../framework/read-password.ts';
import { makeRequest, methods } from './api-request.ts';

const routeView: View<Omit<Route, 'answer'>> = {
  id: ({ id }) => id,
  fields: ['id', 'method', 'path', 'guard', 'summary'],
  columns: [
    { header: 'METHOD', value: ({ method }) => method },
    { header: 'PATH', value: ({ path }) => path, whole: true },
    { header: 'SUMMARY', value: ({ summary }) => summary },
    { header: 'OPERATION', value: ({ id }) => id, wide: true },
    { header: 'GUARD', value: ({ guard }) => guard, wide: true },
  ],
};

const listRoutes = ({ output }: Pick<CommandContext, 'output'>, search: string | undefined): number => {
  const wanted = (search ?? '').toLowerCase();
  output.rows(
    Object.values(routes)
      .map(({ answer: _kind, ...route }) => route)
      .filter((route) => Object.values(route).some((value) => value.toLowerCase().includes(wanted))),
    routeView,
  );
  return 0;
};

/** True if an operation has this path, with any method. */
const isKnownPath = (path: string): boolean =>
  Object.values(routes).some((route) => {
    const wanted = route.path.split('/');
    const given = path.replace(/\/+$/, '').split('/');
    return (
      wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
    );
  });

const ways = ['bearer', 'basic', 'nonce', 'none'] as const;

const authenticationOf = async (
  context: Pick<CommandContext, 'settings' | 'readSecrets'>,
  how: (typeof ways)[number],
  username: string | undefined,
): Promise<Authentication> => {
  if (how === 'nonce') {
    const { nonce } = context.settings;
    if (nonce === undefined) throw usage('--auth nonce needs a nonce', 'add --nonce, or set ACTORCTL_NONCE');
    return { nonce: nonce.value };
  }
  if (how !== 'basic') return how;
  if (username !== undefined) return { username, password: await passwordFromStdin(context) };
  const { clientId, clientSecret } = context.settings;
  if (clientId === undefined || clientSecret === undefined) {
    throw new CliFailure('AUTH_REQUIRED', '--auth basic needs a client id and secret', {
      hint: 'set ACTORCTL_CLIENT_ID and ACTORCTL_CLIENT_SECRET, or add --username and pipe the password in',
    });
  }
  return { username: clientId, password: clientSecret };
};

const parse = (body: Buffer): { readonly json: unknown } | undefined => {
  try {
    return { json: parseExact(body.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/**
 * Prints a body: unchanged to a pipe; to a terminal formatted and without control characters. `--jq`, `--fields`,
 * `--template` and `-o` apply to successful responses only, because errors do not have those fields.
 */
const writeBody = async (
  { output }: Pick<CommandContext, 'output'>,
  body: Buffer,
  { succeeded, isRead }: { readonly succeeded: boolean; readonly isRead: boolean },
): Promise<void> => {
  if (body.byteLength === 0) return;
  const document = output.tty || output.printsValue ? parse(body) : undefined;
  if (document !== undefined && output.printsValue && succeeded) {
    const value = new OwnNames(document.json);
    if (isRead) output.report('', value);
    else output.result('', value);
    return;
  }
  const text = document === undefined ? body.toString('utf8') : `${prettyJson(body.toString('utf8'))}\n`;
  await output.bytes(output.tty ? Buffer.from(stripControl(text)) : body);
};

/** `api [METHOD] PATH`, `api routes` */
export const apiCommand = action({
  details: 'To list all routes: actorctl api routes',
  args: {
    request: several('[METHOD] PATH, for example: POST actors. Or the word routes, to list all routes', {
      like: ['routes', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    }),
  },
  options: {
    method: choice('-X, --method <method>', 'HTTP method (default: GET, or POST with fields or input)', methods),
    fields: texts('-f, --raw-field <name=value>', 'field with a text value, repeatable'),
    typedFields: texts(
      '-F, --field <name=value>',
      'field with a JSON value: true, false, null or a number; @file and @- read the value, repeatable',
    ),
    input: text('--input <path>', 'file with the body, - for stdin', 'files'),
    form: flag('--form', 'send the fields as a form instead of JSON'),
    headers: texts('-H, --header <name: value>', 'a header'),
    include: flag('-i, --include', 'print status and headers before the body'),
    auth: choice(
      '--auth <how>',
      'bearer (the login), basic (ACTORCTL_CLIENT_ID and _SECRET), nonce (--nonce), none',
      ways,
    ),
    username: text('--username <name>', 'with --auth basic: user name, the password is read from stdin'),
    silent: flag('--silent', 'do not print the body'),
    search: text('--search <text>', 'with routes: list only routes that contain this text'),
  },
  examples: [
    'actorctl api actors',
    'actorctl api POST actors/wordcount/messages -f message=hi',
    'actorctl api POST token --auth basic --form -f grant_type=client_credentials',
    'actorctl api routes --search executions',
  ],
  run: async (context, { request: words }, { include, auth, username, silent, search, ...flags }) => {
    const { output } = context;
    if (words.length === 1 && words[0] === 'routes') return listRoutes(context, search);
    if (search !== undefined) throw usage('--search works only with api routes');
    if (username !== undefined && auth !== 'basic') throw usage('--username needs --auth basic');
    const request = await makeRequest(context, words, flags);
    const usual = context.settings.nonce?.byFlag === true ? 'nonce' : 'bearer';
    const authentication = await authenticationOf(context, auth ?? usual, username);
    const answer = await context.request({ ...request, authentication });
    const body = await readBody(answer);
    const status = `HTTP ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trimEnd();
    if (include) {
      const head = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
      const text = `${[status, ...head].join('\n')}\n\n`;
      await output.bytes(Buffer.from(output.tty ? stripControl(text) : text));
    } else if (!output.quiet) output.errorText(`${status}\n`);
    const succeeded = answer.status >= 200 && answer.status < 300;
    if (!silent) await writeBody(context, body, { succeeded, isRead: request.method === 'GET' });
    if (succeeded) return 0;
    if (answer.status === 404 && !isKnownPath(request.path))
      output.note('no such route (to list all: actorctl api routes)');
    return failureCodes[failureOf(answer.status, answer.headers, body.toString('utf8')).code].exit;
  },
});
