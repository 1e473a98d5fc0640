// Command lines equivalent to a request. They prompt for secrets, because other users can read the arguments of
// processes.
import { quoted } from '../../../parts/command.ts';
import type { Field, FlowRequest } from './requests.ts';
import { careOf } from './shown.ts';

const variable = (name: string): string => name.toUpperCase();

const isEncoded = (text: string): boolean => /^[\w.~-]*$/.test(text);

const plain = ({ name, value }: Field): string =>
  isEncoded(value) ? `-d ${quoted(`${name}=${value}`)}` : `--data-urlencode ${quoted(`${name}=${value}`)}`;

/**
 * Passes the secrets of a request to curl through a pipe. If there are several, they are codes and tokens, which need
 * no encoding.
 */
const piped = (secrets: readonly string[]): { readonly pipe: string; readonly flag: string } => {
  const [first = '', ...more] = secrets;
  const values = secrets.map((name) => `"$${variable(name)}"`).join(' ');
  return more.length === 0
    ? { pipe: `printf %s ${values} | `, flag: `--data-urlencode ${first}@- ` }
    : { pipe: `printf '${secrets.map((name) => `${name}=%s`).join('&')}' ${values} | `, flag: '-d @- ' };
};

/** A command line for bash or zsh. `curl -u` prompts for the client secret. */
export const curlOf = ({ path, headers, form }: FlowRequest, origin: string, clientId: string): string => {
  const authorization = headers.find(({ name }) => name === 'authorization');
  const bearer = authorization !== undefined && careOf(authorization) === 'issued';
  const secrets = bearer ? ['access_token'] : form.filter((field) => careOf(field) !== 'plain').map(({ name }) => name);
  const asks = secrets.map((name) => `printf '${name}: ' && read -rs ${variable(name)} && `).join('');
  const { pipe, flag } = bearer
    ? { pipe: `printf 'Authorization: Bearer %s' "$${variable('access_token')}" | `, flag: '-H @- ' }
    : secrets.length === 0
      ? { pipe: '', flag: '' }
      : piped(secrets);
  const user = authorization === undefined || bearer ? '' : `-u ${quoted(clientId)} `;
  const fields = form
    .filter((field) => careOf(field) === 'plain')
    .map((field) => `${plain(field)} `)
    .join('');
  return `${asks}${pipe}curl ${user}${flag}${fields}${quoted(`${origin}${path}`)}`;
};
