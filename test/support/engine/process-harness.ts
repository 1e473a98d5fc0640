// Process executors over one runner in a temporary folder, with the actors of the executor suite as folders.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import {
  createProcessExecutor,
  type ProcessExecutorOptions,
} from '../../../daemon/executor/process/process-executor.ts';
import type { Executor } from '../../../daemon/ports/executor.ts';
import { type Behaviour, behaviours, type ExecutorHarness } from '../../ports/executor.suite.ts';

const quiet = () => undefined;
const root = new URL('../../..', import.meta.url).pathname;

export interface ProcessHarness extends ExecutorHarness {
  readonly options: ProcessExecutorOptions;
  readonly home: string;
  /** Creates a folder with this actor.json and these files, and returns it as an image. */
  folder(actorJson: string, files?: Readonly<Record<string, string>>): string;
  /** Pids of the live runners of this folder. */
  runners(): number[];
}

/** Bundles a program of the repository for node, as the build does. */
export const bundle = async (entry: string, outfile: string): Promise<string> => {
  await build({
    entryPoints: [join(root, entry)],
    ...{ outfile, bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'error' },
  });
  return outfile;
};

/** Pids of all processes whose command line or environment contains the text. */
export const processesWith = (text: string, where: 'cmdline' | 'environ'): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/${where}`).includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);

/** Whether the process runs and is not a zombie. */
export const alive = (pid: number): boolean => {
  try {
    readlinkSync(`/proc/${pid}/exe`);
    return true;
  } catch {
    return false;
  }
};

/** Waits until `holds` is true, with no limit but the time limit of the test. */
export const eventually = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
};

export const makeProcessHarness = async (over: Partial<ProcessExecutorOptions> = {}): Promise<ProcessHarness> => {
  const home = mkdtempSync(join(tmpdir(), 'actorctl-process-'));
  const runnerPath = await bundle('daemon/executor/runner/main.ts', join(home, 'actor-runner.cjs'));
  const options: ProcessExecutorOptions = {
    runsFolder: join(home, 'runs'),
    runnerPath,
    socketPath: join(home, 'runner.sock'),
    apiServer: () => 'http://127.0.0.1:8722',
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    ...over,
  };
  const made: Executor[] = [];
  const restart = async () => {
    const executor = createProcessExecutor(options);
    made.push(executor);
    return executor;
  };
  const folder: ProcessHarness['folder'] = (actorJson, files = {}) => {
    const path = join(home, `image ${randomBytes(6).toString('hex')}`);
    mkdirSync(path);
    writeFileSync(join(path, 'actor.json'), actorJson);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    return pathToFileURL(path).href;
  };
  const images = new Map<Behaviour, string>();
  const image = async (behaviour: Behaviour): Promise<string> => {
    const script = behaviours[behaviour];
    const command = script === null ? ['/no/such/program'] : ['sh', 'main.sh'];
    const made = images.get(behaviour) ?? folder(JSON.stringify({ command }), { 'main.sh': script ?? '' });
    images.set(behaviour, made);
    return made;
  };
  const runners = () => processesWith(options.socketPath, 'cmdline').filter(alive);
  return {
    executor: await restart(),
    missingImage: 'file:///no/such/folder',
    engineVariables: ['PATH', 'HOME', 'TMPDIR', 'PWD'],
    options,
    home,
    folder,
    image,
    restart,
    runners,
    cleanup: async () => {
      for (const executor of made) await executor.close({ removeAll: true });
      // A runner without its runs folder ends its runs and exits. It may write the end of a run meanwhile. Unlike
      // rmSync, rm lists a folder again that is not empty.
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      await eventually(() => runners().length === 0 && !existsSync(options.socketPath));
    },
  };
};
