// The flags that every command takes, and those that every list takes.
import { colorModes } from '../../ui/color.ts';
import { outputFormats } from '../../ui/format/view.ts';
import { choice, flag, integer, type Options, text, texts, type ValuesOf } from './option.ts';

/** On every command, before or after its arguments. @see cli.md 4.1 */
export const globalOptions = {
  context: text('-c, --context <name>', 'named service to talk to (ACTORCTL_CONTEXT)'),
  instance: text('--instance <name>', 'local daemon data set (ACTORCTL_INSTANCE)'),
  output: choice(
    '-o, --output <format>',
    'table, wide, name, id, json, ndjson, yaml, env (ACTORCTL_OUTPUT)',
    outputFormats,
  ),
  json: flag('--json', 'the same as -o json'),
  ndjson: flag('--ndjson', 'the same as -o ndjson'),
  fields: text('--fields <a,b.c>', 'keep these fields; `help` lists them'),
  jq: text('--jq <expression>', 'filter the JSON with a subset of jq'),
  raw: flag('-r, --raw', 'with --jq: strings without quotes'),
  template: text('--template <text>', 'print {{field}} per item'),
  /** False when given. */
  headers: flag('--no-headers', 'tables without header'),
  envelope: flag('--envelope', 'print the envelope of the service as received'),
  quiet: flag('-q, --quiet', 'only ids, or nothing'),
  verbose: flag('-v, --verbose', 'more progress on stderr'),
  debug: flag('--debug', 'redacted HTTP trace on stderr (ACTORCTL_DEBUG)'),
  color: choice('--color <mode>', 'auto, always, never (NO_COLOR, FORCE_COLOR)', colorModes),
  /** False when given. */
  input: flag('--no-input', 'never ask (ACTORCTL_NO_INPUT, CI)'),
  yes: flag('-y, --yes', 'answer confirmations with yes'),
  up: flag('--up', 'start the local daemon if it is down (ACTORCTL_AUTOSTART)'),
  timeout: text('--timeout <duration>', 'limit for one request, default 30s (ACTORCTL_TIMEOUT)'),
  tokenFile: text('--token-file <path>', 'file with the bearer token to use (ACTORCTL_TOKEN)'),
  nonce: text(
    '--nonce <id>',
    'with one actor or alias: a nonce instead of a token; a use each request (ACTORCTL_NONCE)',
  ),
} as const satisfies Options;

export type GlobalValues = ValuesOf<typeof globalOptions>;

/** On every list. */
export const listOptions = {
  filter: texts('--filter <key=value>', 'keep rows: = != ~= >= <=; same key = any, different keys = all'),
  sort: text('--sort <fields>', 'sort by field,-field'),
  limit: integer('--limit <n>', 'at most that many rows (default 50)', { min: 1 }),
  offset: integer('--offset <n>', 'skip that many rows'),
  all: flag('--all', 'all rows'),
} as const satisfies Options;

export type ListValues = ValuesOf<typeof listOptions>;
