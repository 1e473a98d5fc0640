// Warnings after a change of contexts: about sources that override the current context, and about sources that still
// use a deleted name.
import type { CommandContext } from '../../context.ts';
import type { Source } from '../../local/settings/setting-origins.ts';
import { replaceContext } from '../../local/settings/settings-file.ts';

/**
 * Prints which source overrides the context `name`. @param winning sources that take precedence over the changed
 * setting
 */
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
 * Replaces a deleted context name in the settings file, where it would make every command fail. Warns about a
 * variable or a project file that still contains the name.
 * @param next the new context name; undefined removes the setting
 */
export const replaceName = async (
  { output, paths, settings, signal }: Pick<CommandContext, 'output' | 'paths' | 'settings' | 'signal'>,
  gone: string,
  next?: string,
): Promise<void> => {
  if (await replaceContext(paths.settingsFile, gone, next, signal)) {
    output.note(`the setting context was ${gone}, and is ${next ?? 'not set'} now`);
  }
  for (const { value, from } of settings.namedContexts) {
    if (value === gone) output.warn(`${from} still names the context ${gone}: commands that read it fail`);
  }
};
