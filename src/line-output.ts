// Finds the output flags of a command line without parsing it: for help, and for failures before the settings are read.
import { readJson } from './local/json-file.ts';
import { DEFAULT_INSTANCE, paths } from './local/paths.ts';
import type { ProcessContext } from './process-context.ts';
import { colorModes, hasColor, paintFor } from './ui/color.ts';
import type { Output } from './ui/output.ts';

/** The flags of a command line as one text. Text after `--` is not a flag. */
const flagText = (argv: readonly string[]): string =>
  ` ${argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).join(' ')} `;

/** True if errors must be JSON. @param setting `output` of settings.json */
export const wantsJson = (argv: readonly string[], env: ProcessContext['env'], setting?: unknown): boolean => {
  const line = flagText(argv);
  if (/ (--json|--ndjson|--jq(=\S*)?|--fields(=\S*)?) /.test(line)) return true;
  const named = / (?:-o|--output)[ =]?(\S+) /.exec(line)?.[1] ?? (env['ACTORCTL_OUTPUT'] || setting);
  return named === 'json' || named === 'ndjson';
};

/**
 * The members of settings.json, unchecked. Empty if the file cannot be read or there is no home folder; another error
 * is reported then.
 */
const rawSettings = async (
  processContext: () => Promise<ProcessContext>,
): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const { settingsFile } = paths({ ...(await processContext()), instance: DEFAULT_INSTANCE });
    const found = await readJson(settingsFile);
    return typeof found === 'object' && found !== null ? { ...found } : {};
  } catch {
    return {};
  }
};

/** How a failure is written if the command has no output yet. */
export const outputOf = async (
  argv: readonly string[],
  { env, stderr }: Pick<ProcessContext, 'env' | 'stderr'>,
  processContext: () => Promise<ProcessContext>,
): Promise<Pick<Output, 'machine' | 'errorPaint'>> => {
  const { output, color } = await rawSettings(processContext);
  const wanted = / --color[ =](\S+) /.exec(flagText(argv))?.[1] ?? color;
  const mode = colorModes.find((each) => each === wanted) ?? 'auto';
  return {
    machine: wantsJson(argv, env, output),
    errorPaint: await paintFor(hasColor({ mode, env, tty: stderr.isTTY === true, machine: false })),
  };
};
