// How the build writes a file that `code-cache.ts` loads: in a function, with a digest of the code at its begin.

export const WRAPPED = '(function(exports,require,module,__filename,__dirname){/*';

/** Characters of a SHA-256 in base64url. */
const DIGEST = 43;

/** Length of the begin of a file that stands for the whole file. */
export const STAMP = WRAPPED.length + DIGEST;

/** The text of a file. Its first line is the wrapper, so that a line of a source map is the next line of the file. */
export const wrap = (code: string, digest: string): string => `${WRAPPED}${digest}*/\n${code}\n})`;
