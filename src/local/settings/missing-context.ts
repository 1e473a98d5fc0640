// The failure for a context that is not defined.
import { CliFailure } from '../../failure.ts';
import { nearest } from '../nearest.ts';
import type { Origin } from './setting-origins.ts';

/**
 * Names the source of the context, and a command that works although every command reads that source.
 * @param known names of the contexts that are defined
 */
export const missingContext = ({ value, source, from }: Origin<string>, known: readonly string[]): CliFailure => {
  const meant = nearest(value, known);
  const typed = meant === undefined ? 'actorctl context list -c local' : `did you mean "${meant}"?`;
  const hints: Readonly<Partial<Record<typeof source, string>>> = {
    file: 'actorctl settings unset context -c local',
    contexts: 'actorctl context use local -c local',
    project: `correct "context" in ${from}, or add -c local`,
  };
  const where = source === 'flag' ? '' : `, which ${from} names`;
  return new CliFailure('USAGE', `no context named "${value}"${where}`, { hint: hints[source] ?? typed });
};
