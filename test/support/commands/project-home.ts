// A home in which each test has a project of its own, in a folder of its own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../daemon/daemon.ts';
import type { Ended } from '../daemon/home.ts';
import { shellActor } from '../daemon/shell-actor.ts';
import { type SharedHome, sharedHome } from './shared-home.ts';

/** The project of one test. */
export interface TestProject {
  readonly name: string;
  readonly folder: string;
  /** Writes actorctl.yaml, or another file. */
  write(text: string, file?: string): void;
  /** Runs a command in the folder. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
  /** Runs a command that must succeed or find differences. Returns its steps: `created actor hook`. */
  steps(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<readonly string[]>;
  /** Resolves when nothing runs or waits any more: the events of an apply go along its links. */
  settled(): Promise<void>;
  /** A file with three actors in a row, an alias, and a config. `extra` continues the configs. */
  three(extra?: string): string;
}

interface Step {
  readonly kind: string;
  readonly name: string;
  readonly action: string;
}

export interface ProjectHome {
  readonly home: SharedHome;
  readonly image: string;
  /** Begins the project of a test. */
  begin(): TestProject;
}

/** Creates the home, at the daemon that the files of a worker share. */
export const projectHome = async (): Promise<ProjectHome> => {
  const home = await sharedHome();
  const image = shellActor(home.folder);
  let number = 0;
  const begin = (): TestProject => {
    number += 1;
    const name = `p${number}`;
    const folder = join(home.folder, name);
    mkdirSync(folder);
    const run: TestProject['run'] = (args, env = {}) => home.cli(args, { cwd: folder, env });
    return {
      name,
      folder,
      run,
      write: (text, file = 'actorctl.yaml') => writeFileSync(join(folder, file), text),
      steps: async (args, env) => {
        const { code, stdout, stderr } = await run([...args, '--json'], env);
        if (code !== 0 && code !== 12) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
        const { steps } = JSON.parse(stdout) as { steps: readonly Step[] };
        return steps.map((step) => `${step.action} ${step.kind} ${step.name}`);
      },
      settled: () =>
        until(async () => {
          const actors = await home.json<readonly { readonly status: string }[]>('actors', 'list', '--all');
          const executions = await home.json<readonly { readonly status: string }[]>('executions', 'list', '--all');
          const waits = executions.some(({ status }) => status === 'SUBMITTED' || status === 'RUNNING');
          return !waits && actors.every(({ status }) => status === 'READY');
        }),
      three: (extra = '') => `project: ${name}
actors:
  hook-${name}:
    image: ${image}
    link: count-${name}
    env: { LOG: info }
  count-${name}:
    image: ${image}
    stateless: false
    state: { seen: 0 }
    link: alias:out-${name}
  report-${name}:
    image: ${image}
    cron: "@daily"
    permissions: { ABACO_WORLD: READ }
aliases:
  out-${name}: report-${name}
configs:
  db-${name}:
    value: { host: a, port: 5432 }
    actors: [count-${name}, alias:out-${name}]
${extra}`,
    };
  };
  return { home, image, begin };
};
