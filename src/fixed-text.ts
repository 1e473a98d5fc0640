// Output that needs no command to run, so that it is fast: a shell waits for its completion script at every start.
import { scripts, shells } from './commands/completion/scripts.ts';
import { VERSION } from './local/version.ts';

/** The fixed text that a command line prints; undefined if a command must run. */
export const fixedText = (argv: readonly string[], env: NodeJS.ProcessEnv): string | undefined => {
  const line = argv.join(' ');
  if ((line === '--version' || line === '-V') && !env['ACTORCTL_OUTPUT']) return `${VERSION}\n`;
  const shell = shells.find((each) => line === `completion ${each}`);
  return shell && scripts[shell];
};
