// A witness of the containers of an engine without root. Each container writes its start and its end into a mounted folder,
// the only record that no kill can lose: the engine forgets its events, and the logs come from the daemon.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../daemon/daemon.ts';
import { type RootlessKind, type RootlessService, rootlessService } from '../runner/rootless-service.ts';

/** Debian's path of the program that both engines use. */
const RUNC = '/usr/sbin/runc';

/**
 * A program in place of runc. It adds the folder of the witness to the mounts of each container. If the file `hold` exists, it
 * starts the next run, and does not tell the engine.
 */
const runcIn = (folder: string): string => `#!/bin/sh
before=
for word; do
  [ "$before" = --bundle ] && bundle=$word
  [ "$before" = start ] && id=$word
  before=$word
done
if [ -n "$bundle" ]; then
  sed -i 's|"mounts":\\[|&{"destination":"/witness","type":"bind","source":"${folder}","options":["rbind","rw"]},|' "$bundle/config.json"
  grep -q _svc_execution_id= "$bundle/config.json" && echo > "${folder}/run-$before"
fi
if [ -e "${folder}/run-$id" ] && rm "${folder}/hold" 2> /dev/null; then
  ${RUNC} "$@"
  echo > "${folder}/held"
  while kill -0 $PPID 2> /dev/null; do sleep 0.1; done
  exit 1
fi
exec ${RUNC} "$@"
`;

/** A command of a container that appends a line to the record. */
export const mark = (what: 'start' | 'end'): string => `echo "${what} $_svc_execution_id" >> /witness/lines`;

export interface RootlessWitness {
  readonly service: Pick<RootlessService, 'start' | 'kill'>;
  /** All lines so far: `start ID` or `end ID`. */
  lines(): readonly string[];
  startsOf(execution: string): number;
  /** Writes a file that containers see as `/witness/NAME`. */
  put(name: string): void;
  /** Resolves when the next run has started and the engine does not know this. It learns it no more. */
  holdStart(): Promise<void>;
}

/** Restarts the engine with the witness. This process must run as the user of the engine. */
export const rootlessWitness = async (inputs: {
  readonly kind: RootlessKind;
  readonly env: Readonly<Record<'HOME' | 'XDG_RUNTIME_DIR', string>>;
}): Promise<RootlessWitness> => {
  const { kind, env } = inputs;
  const folder = join(env.HOME, 'witness');
  const record = join(folder, 'lines');
  const runc = join(folder, 'runc');
  mkdirSync(folder);
  writeFileSync(record, '');
  writeFileSync(runc, runcIn(folder));
  chmodSync(runc, 0o755);
  if (kind === 'podman') {
    const settings = join(env.HOME, '.config', 'containers', 'containers.conf');
    appendFileSync(settings, `[engine.runtimes]\nrunc = ["${runc}"]\n`);
  }
  const flags = kind === 'docker' ? ['--add-runtime', `witness=${runc}`, '--default-runtime', 'witness'] : [];
  const service = rootlessService({ kind, env });
  await service.kill();
  await service.start(...flags);
  const lines = () => readFileSync(record, 'utf8').split('\n').slice(0, -1);
  return {
    service: { kill: service.kill, start: () => service.start(...flags) },
    lines,
    startsOf: (execution) => lines().filter((line) => line === `start ${execution}`).length,
    put: (name) => writeFileSync(join(folder, name), ''),
    holdStart: () => {
      rmSync(join(folder, 'held'), { force: true });
      writeFileSync(join(folder, 'hold'), '');
      return until(() => existsSync(join(folder, 'held')));
    },
  };
};
