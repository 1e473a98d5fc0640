// Flags that start the daemon, and the daemon arguments they become.
import path from 'node:path';
import { usage } from '../../failure.ts';
import { flag, type Options, parsed, text, type ValuesOf } from '../kernel/option.ts';

const port = (value: string, name: string): string => {
  if (value === 'auto' || (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535)) return value;
  throw usage(`${name} must be a port from 1 to 65535 or auto, not "${value}"`);
};

/** Flags of `up`, `daemon start`, `daemon restart` and `daemon run`. */
export const daemonOptions = {
  port: parsed('--port <n|auto>', 'port to listen on (default 8722; auto: any free one)', port),
  bind: text('--bind <address>', 'address to listen on (default 127.0.0.1)'),
  insecureBind: flag('--insecure-bind', 'allow an address that other machines can reach'),
  dataDir: text('--data-dir <folder>', 'data folder'),
  dockerHost: text('--docker-host <uri>', 'address of the container engine'),
} as const satisfies Options;

/**
 * Returns the command line of the daemon. Relative folders are resolved against the working directory of the caller.
 */
export const daemonArguments = (options: ValuesOf<typeof daemonOptions>): readonly string[] => [
  ...(options.port === undefined ? [] : ['--port', options.port]),
  ...(options.bind === undefined ? [] : ['--bind', options.bind]),
  ...(options.insecureBind ? ['--insecure-bind'] : []),
  ...(options.dataDir === undefined ? [] : ['--data-dir', path.resolve(options.dataDir)]),
  ...(options.dockerHost === undefined ? [] : ['--docker-host', options.dockerHost]),
];
