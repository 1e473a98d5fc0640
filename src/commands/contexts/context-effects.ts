// What a change of the contexts does not reach: sources that win over the current context, and sources that still use a
// name that is gone.
import type { CommandContext } from '../../context.ts';
import type { Source } from '../../local/settings/setting-origins.ts';
import { replaceContext } from '../../local/settings/settings-file.ts';

/** Notes what decides instead of `name`. @param winning sources that win over what the switch has changed */
export const noteOverride = (
  { output, settings, user }: Pick<CommandContext, 'output' | 'settings' | 'user'>,
  name: string,
  winning: readonly Source[] = ['environment', 'project'],
): void => {
  const { value, source, from } = settings.origins.context;
  const byName = value !== name && winning.includes(source) ? from : undefined;
  const decider = user.env['ACTORCTL_BASE_URL'] ? 'ACTORCTL_BASE_URL' : byName;
  if (decider !== undefined) output.note(`${decider} overrides it now`);
};

/**
 * Replaces a name that is gone in the settings file, where it would make every command fail, and warns of a variable or
 * a project file that holds it.
 * @param next undefined removes the setting
 */
export const replaceName = async (
  { output, paths, settings, signal }: Pick<CommandContext, 'output' | 'paths' | 'settings' | 'signal'>,
  gone: string,
  next?: string,
): Promise<void> => {
  if (await replaceContext(paths.settingsFile, gone, next, signal)) {
    output.note(`the setting context was ${gone}, and is ${next ?? 'not set'} now`);
  }
  const { value, source, from } = settings.origins.context;
  if (value === gone && (source === 'environment' || source === 'project')) {
    output.warn(`${from} still names the context ${gone}: commands that read it fail`);
  }
};
