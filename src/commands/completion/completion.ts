// `completion`: prints, installs and removes the completion script of a shell.
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { shellNameOf, startFileOf, writeBlock } from '../../local/shell-files.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { optional } from '../framework/option.ts';
import { type Shell, scripts, shells } from './scripts.ts';

const loads: Readonly<Record<Shell, string>> = {
  bash: 'eval "$(actorctl completion bash)"',
  zsh: 'eval "$(actorctl completion zsh)"',
  fish: 'actorctl completion fish | source',
  powershell: 'actorctl completion powershell | Out-String | Invoke-Expression',
};

const names: Readonly<Record<Shell, string>> = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'PowerShell' };

const print = (shell: Shell): LeafEntry =>
  command({
    name: shell,
    summary: `Print the completion script of ${names[shell]}`,
    examples: [loads[shell]],
    run: async ({ output }) => {
      await output.bytes(Buffer.from(scripts[shell]));
      return 0;
    },
  });

const shellOf = (given: string | undefined, { loginShell }: CommandContext['user']): Shell => {
  const wanted = given ?? shellNameOf(loginShell());
  const found = shells.find((each) => each === wanted);
  if (found !== undefined) return found;
  throw usage(
    wanted === undefined ? 'cannot determine which shell you use' : `completion does not work in the shell "${wanted}"`,
    `choose a shell: ${shells.map((each) => `actorctl completion install ${each}`).join(', ')}`,
  );
};

const install = command({
  name: 'install',
  summary: 'Add completion to the start-up file of your shell',
  details:
    'Writes a marked block into ~/.bashrc (on macOS ~/.bash_profile), ~/.zshrc, ~/.config/fish/completions/actorctl.fish or the profile of PowerShell, and replaces the block of an earlier version.',
  args: { shell: optional('bash, zsh, fish or powershell (default: your login shell)', shells) },
  options: { dryRun },
  examples: ['actorctl completion install', 'actorctl completion install zsh'],
  run: async ({ output, user }, { shell: given }, { dryRun }) => {
    const shell = shellOf(given, user);
    const file = startFileOf(shell, user);
    const changed = await writeBlock(file, scripts[shell], { dryRun });
    if (dryRun) {
      const lines = changed ? [`add completion for ${names[shell]} to ${file}`] : [];
      return tellDryRun({ output }, lines, { shell, file, changed });
    }
    output.result(
      changed
        ? `Added completion for ${names[shell]} to ${file}. It works in new shells.`
        : `${file} has the completion for ${names[shell]} already`,
      { shell, file, changed },
    );
    return 0;
  },
});

const uninstall = command({
  name: 'uninstall',
  summary: 'Remove completion from the start-up files of your shells',
  args: { shell: optional('bash, zsh, fish or powershell (default: all of them)', shells) },
  options: { dryRun },
  run: async ({ output, user }, { shell: given }, { dryRun }) => {
    const places = (given === undefined ? shells : [shellOf(given, user)]).map((shell) => ({
      shell,
      file: startFileOf(shell, user),
    }));
    const removed: typeof places = [];
    // A file that cannot be changed is an error before the first change.
    for (const place of places) if (await writeBlock(place.file, undefined, { dryRun: true })) removed.push(place);
    if (dryRun) {
      const lines = removed.map(({ shell, file }) => `remove completion for ${names[shell]} from ${file}`);
      return tellDryRun({ output }, lines, { removed });
    }
    for (const { file } of removed) await writeBlock(file, undefined, { dryRun });
    const lines = removed.map(({ shell, file }) => `Removed completion for ${names[shell]} from ${file}.`);
    const searched = places.map(({ file }) => file).join(', ');
    output.result(
      removed.length === 0
        ? `nothing to remove: no completion in ${searched}`
        : `${lines.join('\n')}\nOpen shells keep it until they close.`,
      { removed },
    );
    return 0;
  },
});

export const completionCommands: readonly LeafEntry[] = [...shells.map(print), install, uninstall];
