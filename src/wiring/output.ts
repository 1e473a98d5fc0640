// Creates the output of a command from its flags and settings.
import type { ServiceClock } from '../client/service-clock.ts';
import type { GlobalValues, ListValues } from '../commands/framework/flags.ts';
import { sameTarget } from '../commands/framework/same-target.ts';
import type { Settings } from '../local/settings/settings.ts';
import type { ProcessContext } from '../process-context.ts';
import { hasColor, paintFor } from '../ui/color.ts';
import { compileJq } from '../ui/format/jq.ts';
import { createOutput, type Output } from '../ui/output.ts';
import type { Sink } from '../ui/sink.ts';
import { createProgress } from '../ui/spinner.ts';

/** Splits at commas and spaces, because PowerShell replaces commas with spaces. */
const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

export const outputFor = async (
  flags: GlobalValues,
  list: ListValues | undefined,
  settings: Settings,
  around: ProcessContext,
  now: ServiceClock['now'],
): Promise<Output> => {
  const { stdout, stderr, env } = around;
  const data = settings.output !== 'table' && settings.output !== 'wide';
  const isColored = (sink: Sink, machine: boolean) =>
    hasColor({ mode: settings.color, env, tty: sink.isTTY === true, machine });
  const errorTty = stderr.isTTY === true;
  return createOutput({
    stdout,
    stderr,
    format: settings.output,
    ...(flags.fields !== undefined && { fields: wordsOf(flags.fields) }),
    ...(flags.jq !== undefined && { jq: await compileJq(flags.jq) }),
    ...(flags.template !== undefined && { template: flags.template }),
    ...(list && {
      selection: {
        filters: list.filter,
        ...(list.sort !== undefined && { sort: list.sort }),
        limit: list.limit ?? 50,
        byDefault: list.limit === undefined,
        offset: list.offset ?? 0,
        all: list.all,
      },
    }),
    raw: flags.raw,
    headers: flags.headers,
    envelope: flags.envelope,
    quiet: settings.quiet,
    verbose: settings.verbose,
    paint: await paintFor(isColored(stdout, data || flags.jq !== undefined)),
    errorPaint: await paintFor(isColored(stderr, false)),
    progress: createProgress({
      stderr,
      animated: errorTty && env['TERM'] !== 'dumb' && !settings.quiet && !settings.noInput,
      colored: isColored(stderr, false),
      silent: settings.quiet || (settings.output === 'json' && !settings.verbose) || settings.output === 'ndjson',
    }),
    sameTarget: sameTarget(flags),
    now,
  });
};
