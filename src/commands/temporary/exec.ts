// `exec`: runs a command with a temporary instance, and removes the instance afterwards.
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf, usage } from '../../failure.ts';
import { keepInstance } from '../../local/daemon/starter.ts';
import { writePrivate } from '../../local/files.ts';
import { MARK } from '../../local/marked-processes.ts';
import { YAML_FILES } from '../../local/project/project-names.ts';
import { shellWord } from '../../local/single-quoted.ts';
import { daemonOptions, instanceOptions } from '../daemon/daemon-flags.ts';
import { checkFirst, importOptions } from '../daemon/import-flags.ts';
import { action } from '../framework/command.ts';
import { afterDashes, flag, type Option, text } from '../framework/option.ts';
import { readProjectOf } from '../project/apply.ts';
import { fileOptions } from '../project/project-file.ts';
import type { ReadProject } from '../project/read-desired-state.ts';
import { agave } from '../tools/env.ts';
import { tellFailed } from './failed-executions.ts';
import { runProgram } from './pass-on.ts';
import { leftOver, refuseFile, startTemporaryHome, type TemporaryHome } from './temporary-home.ts';

/** The value of `--project`. `--no-project` has an option of its own. */
const project: Option<string | undefined> = {
  flags: '--project <file>',
  description: 'project to apply, or its folder (default: actorctl.yaml of this folder, if there is one)',
  completes: 'files',
  read: (given) => given.filter((each) => typeof each === 'string').at(-1),
};

const options = {
  project,
  noProject: flag('--no-project', 'apply no project'),
  allowOutside: fileOptions.allowOutside,
  importFile: importOptions.importFile,
  clock: instanceOptions.clock,
  engine: daemonOptions.engine,
  dockerHost: daemonOptions.dockerHost,
  backup: text('--backup <file>', 'write all data to this file after the command', 'files'),
  keep: flag('--keep-on-failure', 'leave the instance running if the command fails'),
};

const isTaken = (name: string, cwd: string): boolean => existsSync(path.join(cwd, name));

/** The project that is applied before the command. Errors in the file are found before anything starts. */
const projectFor = async (
  context: CommandContext,
  {
    project: file,
    noProject,
    allowOutside,
  }: { readonly project: string | undefined; readonly noProject: boolean; readonly allowOutside: boolean },
): Promise<ReadProject | undefined> => {
  if (file === '-') throw usage('exec gives standard input to the command, so the project cannot be read from it');
  if (file === undefined && (!noProject || !YAML_FILES.some((name) => isTaken(name, context.cwd)))) return undefined;
  return readProjectOf(context, { file, allowOutside });
};

/** Creates a folder with this `actorctl`, so that the command finds the same version. */
const makeProgram = async ({ folder, context }: TemporaryHome): Promise<string> => {
  const bin = path.join(folder, 'bin');
  const { file, args } = context.program;
  await mkdir(bin, { recursive: true, mode: 0o700 });
  const isWindows = context.user.platform === 'win32';
  const words = [file, ...args].map((word) => (isWindows ? `"${word}"` : shellWord(word))).join(' ');
  const program = path.join(bin, isWindows ? 'actorctl.cmd' : 'actorctl');
  await writeFile(program, isWindows ? `@${words} %*\r\n` : `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(program, 0o700);
  return bin;
};

/** Writes the login for agavepy and the programs that share its cache. Returns the folder of the file. */
const makeAgaveCache = async ({ folder, context }: TemporaryHome): Promise<string> => {
  const cache = path.join(folder, 'agave');
  await writePrivate(path.join(cache, 'current'), `${JSON.stringify(await agave(context))}\n`);
  return cache;
};

/** The environment of the command. @see docs/testing-actors.md#the-environment-of-the-command */
const environmentFor = async (home: TemporaryHome): Promise<Readonly<Record<string, string | undefined>>> => {
  const { env } = home.context.user;
  const [bin, cache] = await Promise.all([makeProgram(home), makeAgaveCache(home)]);
  return {
    ...env,
    [MARK]: home.name,
    ACTORCTL_BASE_URL: home.baseUrl,
    ACTORCTL_TOKEN: home.token,
    PATH: [bin, ...(env['PATH'] ? [env['PATH']] : [])].join(path.delimiter),
    AGAVE_CACHE_DIR: cache,
    TAPIS_CACHE_DIR: cache,
    _abaco_api_server: home.baseUrl,
    _abaco_access_token: home.token,
  };
};

/** Leaves the instance running, and prints how to use and end it. */
const keepHome = async ({ output }: CommandContext, { folder, name, context }: TemporaryHome): Promise<void> => {
  await keepInstance(context.paths);
  const place = `ACTORCTL_HOME=${shellWord(folder)} ACTORCTL_INSTANCE=${name}`;
  output.errorText(`the instance ${name} is kept\n`);
  output.errorText(`  to enter it: export ${place} ACTORCTL_CONTEXT=local\n`);
  output.errorText(`  to end it:   ${place} actorctl down -c local --halt-executions\n`);
};

/** Removes the instance. A failure does not change the outcome of the command, unless its backup is missing. */
const remove = async ({ output }: CommandContext, home: TemporaryHome, code: number): Promise<number> => {
  try {
    await home.close();
    return code;
  } catch (error) {
    const isLost = error instanceof CliFailure && error.code === 'STORE_UNAVAILABLE';
    if (isLost && code === 0) throw error;
    output.warn(isLost ? messageOf(error) : leftOver(home, error));
    return code;
  }
};

export const execCommand = action({
  operations: ['daemon.token'],
  args: {
    command: afterDashes(
      'the command and its arguments',
      'exec runs a program beside a temporary instance, and needs its name after "--"',
      'write, for example: actorctl exec -- pytest. To send a message to an actor and wait: actorctl run ACTOR. To read its output: actorctl logs ACTOR. To look into an execution: actorctl executions shell EXECUTION',
    ),
  },
  options,
  details:
    'Starts an instance in a folder of its own, applies the project without its webhooks, waits until its actors are READY, and runs the command. Afterwards everything is removed, including the images that the project built. The command finds the instance in ACTORCTL_HOME, ACTORCTL_BASE_URL and ACTORCTL_TOKEN.\nThe exit code is that of the command. 125: actorctl itself failed, 126: the command cannot be started, 127: there is no such program. If the command fails, the last lines of failed executions are printed, except with --quiet.',
  examples: [
    'actorctl exec -- pytest',
    'actorctl exec --virtual-clock 2030-01-01 -- npm test',
    'actorctl exec --backup failed.tar.gz -- ./tests.sh',
  ],
  run: async (outer, { command }, { importFile, clock, engine, dockerHost, backup, keep, ...given }) => {
    const read = await projectFor(outer, given);
    const archive = importFile === undefined ? undefined : path.resolve(outer.cwd, importFile);
    const written = backup === undefined ? undefined : path.resolve(outer.cwd, backup);
    if (written !== undefined) refuseFile(written, '--backup');
    if (archive !== undefined) await checkFirst(outer, archive);
    const progress = await outer.output.progress('Starting a temporary instance', { terminalOnly: true });
    const home = await startTemporaryHome(outer, {
      ...(clock !== undefined && { clock }),
      ...(engine !== undefined && { engine }),
      ...(dockerHost !== undefined && { dockerHost }),
      ...(archive !== undefined && { importFile: archive }),
      ...(written !== undefined && { backupOnExit: written }),
    }).finally(progress.stop);
    let code = 125;
    try {
      if (read !== undefined) await home.apply(read);
      const env = await environmentFor(home);
      code = await runProgram(outer, { command, env, cwd: outer.cwd, mark: home.name });
    } catch (error) {
      await remove(outer, home, code);
      throw error;
    }
    if (code !== 0 && !outer.settings.quiet) await tellFailed(outer, home);
    if (code !== 0 && keep) await keepHome(outer, home);
    else return remove(outer, home, code);
    return code;
  },
});
