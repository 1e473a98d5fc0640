// What a machine has that tests may leave behind. Everything of the machine counts: other work beside the tests shows, too.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Inventory = Readonly<Record<string, readonly string[]>>;

/** A function's value, or none if the machine lacks what it reads, or the file is gone by then. */
const readable = <T>(read: () => T[]): T[] => {
  try {
    return read();
  } catch {
    return [];
  }
};

const namesIn = (folder: string): string[] =>
  readable(() => readdirSync(folder).map((name) => path.join(folder, name)));
const linesOf = (file: string): string[] => readable(() => readFileSync(file, 'utf8').split('\n').slice(1));

const docker = (...args: string[]): string[] => {
  const { status, stdout } = spawnSync('docker', args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
};

/** Programs by id, start time and command line; zombies and threads of the kernel have no command line. */
const processes = (): string[] =>
  readable(() => readdirSync('/proc')).flatMap((id) =>
    /^\d+$/.test(id)
      ? readable(() => {
          const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
          const started = readFileSync(`/proc/${id}/stat`, 'utf8').replace(/^.*\)/s, '').split(' ')[20];
          return command === '' ? [] : [`${id} (${started}) ${command.slice(0, 200)}`];
        })
      : [],
  );

/** TCP ports that are listened on: state 0A. */
const ports = (): string[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(linesOf).flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    return state === '0A' ? [`tcp ${Number.parseInt(local.split(':')[1] ?? '', 16)}`] : [];
  });

/** Unix sockets that are listened on: the flag 0x10000. */
const sockets = (): string[] =>
  linesOf('/proc/net/unix').flatMap((line) => {
    const [, , , flags, , , , name] = line.trim().split(/\s+/);
    return flags === '00010000' && name !== undefined ? [`unix ${name}`] : [];
  });

export const inventory = (): Inventory => ({
  processes: processes(),
  containers: docker('container', 'ls', '--all', '--format', '{{.ID}} {{.Image}} {{.Names}}'),
  networks: docker('network', 'ls', '--format', '{{.ID}} {{.Name}}'),
  volumes: docker('volume', 'ls', '--format', '{{.Name}}'),
  images: docker('image', 'ls', '--format', '{{.ID}} {{.Repository}}:{{.Tag}}'),
  folders: [...new Set([tmpdir(), '/dev/shm'])].flatMap(namesIn),
  sockets: [...ports(), ...sockets()],
});

const newIn = (before: Inventory, after: Inventory): Inventory =>
  Object.fromEntries(
    Object.entries(after).map(([kind, names]) => {
      const known = new Set(before[kind]);
      return [kind, [...new Set(names)].filter((name) => !known.has(name))];
    }),
  );

/** What is there now and was not before. A process that is about to end gets ten seconds. */
export const leaksSince = async (before: Inventory): Promise<Inventory> => {
  for (let waits = 0; ; waits += 1) {
    const leaks = newIn(before, inventory());
    if (waits === 20 || Object.values(leaks).every((names) => names.length === 0)) return leaks;
    await delay(500);
  }
};
