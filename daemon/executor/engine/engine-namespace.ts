// The network namespace of an engine without root. The bridges of its networks exist only there, so the daemon reaches
// them through a program that it starts inside.
import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { ProductName } from './products.ts';

export interface EngineNamespace {
  /**
   * The words before a command that runs it in the namespace.
   * @throws a system error if the engine has no process
   */
  enter(): readonly string[];
  /** Variables of such a command. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Differs for each namespace that the engine has had. An engine gets a new one when it restarts, or when the process
   * that holds its namespaces was killed. Undefined if the engine has no process.
   */
  generation(): string | undefined;
}

const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const numberIn = (file: string): number => {
  const text = readFileSync(file, 'utf8').trim();
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${file} contains no process id`);
  return Number(text);
};

/** The process of `dockerd` is in the namespace. */
const ofDocker = (runtimeDir: string): EngineNamespace => {
  const pid = () => numberIn(path.join(runtimeDir, 'docker.pid'));
  return {
    enter: () => ['nsenter', '--target', String(pid()), '--user', '--preserve-credentials', '--net', '--'],
    env: {},
    generation: () => orUndefined(() => readlinkSync(`/proc/${pid()}/ns/net`)),
  };
};

/** Podman mounts the namespace in the mount namespace of its pause process, where only Podman itself finds it. */
const ofPodman = (runtimeDir: string): EngineNamespace => ({
  enter: () => ['podman', 'unshare', '--rootless-netns'],
  env: { XDG_RUNTIME_DIR: runtimeDir },
  generation: () => orUndefined(() => String(numberIn(path.join(runtimeDir, 'libpod', 'tmp', 'pause.pid')))),
});

/** @param socket the path of the engine's socket, which an engine without root creates in `XDG_RUNTIME_DIR` */
export const engineNamespace = (product: ProductName, socket: string): EngineNamespace => {
  const folder = path.dirname(socket);
  return product === 'Docker' ? ofDocker(folder) : ofPodman(path.dirname(folder));
};
