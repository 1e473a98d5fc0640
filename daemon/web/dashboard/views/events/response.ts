// What a receiver responded to a delivery, or why there is no response, with the code once.

interface Responded {
  readonly httpStatus?: number | undefined;
  readonly error?: string | undefined;
}

/** `204`, `503`, `302, a redirect to https://hooks.example; redirects are not followed`, `no response within 10 s` */
export const formatResponse = ({ httpStatus, error }: Responded): string =>
  error?.replace(/^the receiver responded with (?=\d)/, '') ?? String(httpStatus ?? '');

/** What the error says beyond the code: `a redirect to …`. Empty if nothing. */
export const beyondCode = ({ httpStatus, error }: Responded): string => {
  const text = error === undefined ? '' : formatResponse({ error });
  const code = String(httpStatus ?? '');
  return code !== '' && text.startsWith(code) ? text.slice(code.length).replace(/^[:,;] /, '') : text;
};
