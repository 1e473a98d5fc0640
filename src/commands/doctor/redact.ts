// Takes secrets and personal paths out of a text that a person may show to others.

const RULES: readonly (readonly [RegExp, string])[] = [
  // Credentials in URLs, and values of query parameters.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, '$1***@'],
  [/([?&][\w.-]+=)[^\s&"']+/g, '$1***'],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 ***'],
  // A header of the text of a request: the rest of its line.
  [/\b((?:set-)?cookie|(?:proxy-)?authorization):[^"\n]*/gi, '$1: ***'],
  // Fields whose names say that they are secret, also in JSON that is a text in JSON.
  [
    /(\\*"?[\w.-]*(?:token|secret|password|passwd|passphrase|nonce|cookie|authorization|credential|(?:api|private|access)[_-]?key)[\w.-]*\\*"?\s*[:=]\s*)(\\+"(?:(?!\\+").)*\\+"|"(?:[^"\\]|\\.)*"|[^\s,}\]]+)/gi,
    '$1"***"',
  ],
  [/\bsealed:v1:[\w:-]+/g, 'sealed:***'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***'],
  // Anything long enough to be random: ids of 13 letters stay.
  [/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{22,}\b/g, '***'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, '***@***'],
];

/** The text without secrets, mail addresses, and the home folder and name of the user. */
export const redact = (text: string, { home, user }: { readonly home: string; readonly user: string }): string => {
  const known = home.length > 1 ? text.replaceAll(home, '~') : text;
  const hidden = RULES.reduce((result, [pattern, by]) => result.replace(pattern, by), known);
  return user.length > 2 ? hidden.replaceAll(user, 'USER') : hidden;
};
