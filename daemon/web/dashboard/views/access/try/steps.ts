// The steps of a flow: requests with titles and equivalent commands.
import { commandLine } from '../../../parts/command.ts';
import {
  authorizeRequest,
  clientRequest,
  codeRequest,
  type FlowClient,
  type FlowRequest,
  inspectRequest,
  passwordRequest,
  profileRequest,
  refreshRequest,
  revokeRequest,
} from './requests.ts';

export interface Step {
  readonly title: string;
  readonly request: FlowRequest;
  readonly line: string;
  readonly clientId: string;
}

type Authorization = Parameters<typeof authorizeRequest>[0];

export const authorizeStep = (asked: Authorization): Step => ({
  title: 'Ask the user for approval',
  clientId: asked.clientId,
  request: authorizeRequest(asked),
  line: commandLine(
    'auth',
    'authorize-url',
    '--client',
    asked.clientId,
    '--redirect-uri',
    asked.redirectUri,
    ...(asked.responseType === 'token' ? ['--response-type', 'token'] : ['--pkce']),
    ...(asked.askAgain ? ['--show-dialog'] : []),
  ),
});

export const codeStep = (client: FlowClient, redeemed: Parameters<typeof codeRequest>[1]): Step => ({
  title: 'Exchange the code for tokens',
  clientId: client.id,
  request: codeRequest(client, redeemed),
  line: commandLine(
    'auth',
    'exchange',
    '--client',
    client.id,
    '--redirect-uri',
    redeemed.redirectUri,
    '--code',
    '-',
    ...(client.secret === undefined ? [] : ['--client-secret-stdin']),
    '--code-verifier-stdin',
    '--show',
  ),
});

export const passwordStep = (client: FlowClient, username: string, password: string): Step => ({
  title: 'Exchange the password for tokens',
  clientId: client.id,
  request: passwordRequest(client, username, password),
  line: commandLine('login', '--flow', 'password', '--client', client.id, '--username', username),
});

export const clientStep = (client: FlowClient): Step => ({
  title: 'Get a token for the client itself',
  clientId: client.id,
  request: clientRequest(client),
  line: commandLine('login', '--flow', 'client', '--client', client.id),
});

export const refreshStep = (client: FlowClient, token: string): Step => ({
  title: 'Renew the access token',
  clientId: client.id,
  request: refreshRequest(client, token),
  line: commandLine('auth', 'refresh'),
});

export const inspectStep = (client: FlowClient, token: string): Step => ({
  title: 'Inspect the access token',
  clientId: client.id,
  request: inspectRequest(client, token),
  line: commandLine('auth', 'inspect', '-', '--client', client.id),
});

export const revokeStep = (client: FlowClient, token: string): Step => ({
  title: 'Revoke the tokens',
  clientId: client.id,
  request: revokeRequest(client, token),
  line: commandLine('auth', 'revoke', '-', '--client', client.id),
});

export const profileStep = (clientId: string, token: string): Step => ({
  title: 'Call the API with the access token',
  clientId,
  request: profileRequest(token),
  line: commandLine('profiles', 'show'),
});
