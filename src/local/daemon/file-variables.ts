// The variables of the shell that name a file or folder of the daemon.
import path from 'node:path';

/** Variables that name a file which the daemon reads. */
export const FILE_VARIABLES: readonly string[] = [
  'ACTORCTL_CONFIG_KEY_FILE',
  'ACTORCTL_TLS_CERT',
  'ACTORCTL_TLS_KEY',
  'ACTORCTL_LEGACY_JWT',
];

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment with absolute paths of the home and of these files, because the daemon runs in another folder.
 * @param cwd the folder in which relative paths begin
 */
export const withWholePaths = (env: Env, cwd = process.cwd()): Env => {
  const named = ['ACTORCTL_HOME', ...FILE_VARIABLES].flatMap((name) => {
    const value = env[name];
    return value ? [[name, path.resolve(cwd, value)] as const] : [];
  });
  return { ...env, ...Object.fromEntries(named) };
};
