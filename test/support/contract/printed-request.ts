// Requests written as the interface specification prints them: placeholders such as <ACCESS_TOKEN> and {base_url} are
// replaced, everything else is sent as it stands.
import { type Answer, call } from '../service/call.ts';

/** Values of placeholders by name, without their brackets. */
export type Values = Readonly<Record<string, string>>;

const filled = (text: string, values: Values): string =>
  text.replace(/<([A-Za-z0-9_]+)>/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the example needs a value for <${name}>`);
    return value;
  });

/**
 * Sends `METHOD {base_url}/path`, header lines, an empty line and a body. Both base addresses of the specification are
 * the address of the service.
 */
export const sendPrinted = (baseUrl: string, printed: string, values: Values): Promise<Answer> => {
  const lines = filled(printed, values)
    .split('\n')
    .map((line) => line.trim());
  const end = lines.indexOf('');
  const [first = '', ...headers] = end === -1 ? lines : lines.slice(0, end);
  const [method = '', address = ''] = first.split(' ');
  const body = end === -1 ? undefined : lines.slice(end + 1).join('\n');
  return call(baseUrl, method, address.replace(/^\{(?:base|auth)_url\}/, ''), {
    headers: Object.fromEntries(headers.map((line) => line.split(/: (.*)/s).slice(0, 2))),
    ...(body !== undefined && { body }),
  });
};
