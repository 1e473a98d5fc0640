// A folder for an image without any registry: a Dockerfile FROM scratch, a static busybox and a script.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Dockerfile of such a folder. `lines` precede its command. */
export const scratchDockerfile = (...lines: readonly string[]): string =>
  ['FROM scratch', 'COPY busybox /bin/sh', 'COPY main.sh /main.sh', ...lines, 'CMD ["/bin/sh", "/main.sh"]', ''].join(
    '\n',
  );

/**
 * Writes the folder and returns it.
 * @param script the script of the actor, run by busybox sh; its commands are available inside `sh -c` only
 */
export const scratchActor = (
  folder: string,
  script: string,
  project: Readonly<Record<string, unknown>> = {},
  ...lines: readonly string[]
): string => {
  mkdirSync(folder, { recursive: true });
  copyFileSync('/bin/busybox', join(folder, 'busybox'));
  writeFileSync(join(folder, 'main.sh'), script);
  writeFileSync(join(folder, 'Dockerfile'), scratchDockerfile(...lines));
  writeFileSync(join(folder, 'actorctl.json'), JSON.stringify(project));
  return folder;
};
