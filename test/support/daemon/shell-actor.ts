// A process actor whose message selects what it does, for tests of the command line that need every kind of end.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const program = `case "$MSG" in
fail) echo before; echo trouble >&2; exit 3 ;;
twenty) i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo "line $i"; done; exit 1 ;;
steps) for i in 1 2 3; do echo "step $i"; sleep 0.3; done ;;
hang) echo started; sleep 600 ;;
escape) printf '\\033]0;title\\007red\\n' ;;
env) env ;;
rows) for i in $(seq 300); do printf '{"level":"info","n":%d,"text":"%0200d"}\\n' $i $i; done ;;
configs) printf '%s' "$_actor_configs" ;;
much) seq -f 'line %.0f of the output' 100000 ;;
bytes) printf 'no line end' ;;
*) echo "got: $MSG"; echo "X=$X" >&2 ;;
esac
`;

/** Writes the folder of the actor into `folder` and returns its image. */
export const shellActor = (folder: string): string => {
  const own = join(folder, 'shell-actor');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'main.sh'), program);
  writeFileSync(join(own, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
  return `file://${own}`;
};
