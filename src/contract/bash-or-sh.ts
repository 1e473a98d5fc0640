// The command of a shell, if none was given.

export const BASH_OR_SH: readonly string[] = [
  'sh',
  '-c',
  'if command -v bash >/dev/null 2>&1; then exec bash; else exec sh; fi',
];
