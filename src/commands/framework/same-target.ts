// Adds the instance and the context of this run to the command lines in hints and notes.
import { shellWord } from '../../local/single-quoted.ts';
import { entryOf } from './catalog.ts';

/** The flags of every command that choose a service. Absent: not given. */
export interface TargetFlags {
  readonly context?: string | undefined;
  readonly instance?: string | undefined;
}

/** Commands for which the flags for instance and context have no meaning, or another meaning. */
const APART: readonly string[] = ['context', 'settings', 'completion', 'docs'];

/** Commands that are followed by the name of a command. */
export const GROUPS: readonly string[] = [
  ...['daemon', 'tls', 'snapshot', 'clock', 'auth', 'context', 'settings', 'actors', 'executions', 'messages'],
  ...['state', 'cron', 'events', 'links', 'webhooks', 'workers', 'aliases', 'permissions', 'nonces', 'configs'],
  ...['admin', 'clients', 'users', 'profiles', 'tenants', 'project', 'completion'],
];

const COMMAND = /(?<![\w/-])actorctl ([a-z][a-z-]*)( [a-z][a-z-]*)?/g;

const HAS_FLAG = / (?:--instance|--context|-c)(?: |=)/;

/**
 * Returns the function that repeats `--instance` and `--context` of this run after the name of each command, since a
 * command may be the middle of a sentence. Only flags are repeated, because variables and project files still apply
 * to the next command. A text that has one of the flags already is not changed.
 */
export const sameTarget = ({ context, instance }: TargetFlags): ((text: string) => string) => {
  const flags = [
    ...(instance ? [` --instance ${shellWord(instance)}`] : []),
    ...(context ? [` -c ${shellWord(context)}`] : []),
  ];
  if (flags.length === 0) return (text) => text;
  return (text) =>
    HAS_FLAG.test(text)
      ? text
      : text.replace(COMMAND, (line, name: string, next = '') => {
          const entry = entryOf(name);
          if (entry === undefined || APART.includes(entry.name)) return line;
          const [own, rest] = GROUPS.includes(entry.name) ? [next, ''] : ['', next];
          return `actorctl ${name}${own}${flags.join('')}${rest}`;
        });
};
