// The flags of every command, and the flags of every list command.
import { colorModes } from '../../ui/color.ts';
import { outputFormats } from '../../ui/format/view.ts';
import { choice, flag, integer, type Options, text, texts, type ValuesOf } from './option.ts';

/** Flags of every command. They may appear before or after the arguments. @see docs/cli.md#flags-and-lists */
export const globalOptions = {
  context: text('-c, --context <name>', 'context to use (ACTORCTL_CONTEXT)', 'context'),
  instance: text('--instance <name>', 'instance of the local daemon (ACTORCTL_INSTANCE)', 'instance'),
  output: choice(
    '-o, --output <format>',
    'table, wide, name, id, json, ndjson, yaml, env (ACTORCTL_OUTPUT)',
    outputFormats,
  ),
  json: flag('--json', 'same as -o json'),
  ndjson: flag('--ndjson', 'same as -o ndjson'),
  fields: text('--fields <a,b.c>', 'show only these fields (to list them: --fields help)'),
  jq: text('--jq <expression>', 'filter the JSON output with a jq expression'),
  raw: flag('-r, --raw', 'with --jq: print strings without quotes'),
  template: text('--template <text>', 'print this text for each item, {{field}} is replaced'),
  /** False if the flag is given. */
  headers: flag('--no-headers', 'print tables without a header'),
  envelope: flag('--envelope', 'print the envelope of the last response, not only its result'),
  quiet: flag('-q, --quiet', 'print ids only, or nothing'),
  verbose: flag('-v, --verbose', 'print more progress on stderr'),
  debug: flag('--debug', 'print HTTP requests on stderr, without secrets (ACTORCTL_DEBUG)'),
  color: choice('--color <mode>', 'auto, always or never (NO_COLOR, FORCE_COLOR)', colorModes),
  /** False if the flag is given. */
  input: flag('--no-input', 'never prompt (ACTORCTL_NO_INPUT, CI)'),
  yes: flag('-y, --yes', 'answer yes to every confirmation'),
  autostart: flag('--autostart', 'start the local daemon if it is not running (ACTORCTL_AUTOSTART)'),
  requestTimeout: text(
    '--request-timeout <duration>',
    'time limit of one request, default 30s (ACTORCTL_REQUEST_TIMEOUT)',
  ),
  tokenFile: text('--token-file <path>', 'file that holds the bearer token to use (ACTORCTL_TOKEN)', 'files'),
  nonce: text(
    '--nonce <id>',
    'for one actor or alias: use this nonce instead of a token, each request consumes one use (ACTORCTL_NONCE)',
  ),
} as const satisfies Options;

export type GlobalValues = ValuesOf<typeof globalOptions>;

export const listOptions = {
  filter: texts(
    '--filter <key=value>',
    'keep rows that match (= != ~= >= <=); = and ~= filters on one field are alternatives, all others must match',
  ),
  sort: text('--sort <fields>', 'sort by these fields, -field for descending'),
  limit: integer('--limit <n>', 'show at most this many rows (default 50)', { min: 1 }),
  offset: integer('--offset <n>', 'skip this many rows'),
  all: flag('--all', 'show all rows'),
} as const satisfies Options;

export type ListValues = ValuesOf<typeof listOptions>;
