// Who listens on a TCP port of this machine, as far as the system tells us.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process, as a person would look for it. */
export interface PortHolder {
  readonly pid: number;
  readonly command: string;
}

/** What cannot be read is somebody else's, or gone by now. */
const orNothing = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch {
    // Looking is best effort; the port is taken either way.
    return undefined;
  }
};

/** The numbers of the sockets that listen on a port. @see proc(5) /proc/net/tcp: local address in field 1, state 0A listens, inode in field 9 */
const listening = (table: string, port: number): readonly string[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .flatMap((fields) => (fields[9] ? [fields[9]] : []));
};

const commandOf = async (pid: number): Promise<string> => {
  const line = await orNothing(readFile(`/proc/${pid}/cmdline`, 'utf8'));
  return line?.replaceAll('\0', ' ').trim() || 'unknown';
};

const fromProc = async (port: number): Promise<PortHolder | undefined> => {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => orNothing(readFile(file, 'utf8'))),
  );
  const wanted = new Set(tables.flatMap((table) => listening(table ?? '', port)).map((inode) => `socket:[${inode}]`));
  if (wanted.size === 0) return undefined;
  for (const name of (await orNothing(readdir('/proc'))) ?? []) {
    if (!/^\d+$/.test(name)) continue;
    for (const fd of (await orNothing(readdir(`/proc/${name}/fd`))) ?? []) {
      const target = await orNothing(readlink(`/proc/${name}/fd/${fd}`));
      if (target !== undefined && wanted.has(target))
        return { pid: Number(name), command: await commandOf(Number(name)) };
    }
  }
  return undefined;
};

/** `lsof -F` writes one field per line: `p` the pid, `c` the command. */
const fromLsof = (port: number): Promise<PortHolder | undefined> =>
  new Promise((resolve) => {
    execFile('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { timeout: 3_000 }, (_error, stdout) => {
      const pid = /^p(\d+)$/m.exec(stdout)?.[1];
      resolve(pid ? { pid: Number(pid), command: /^c(.+)$/m.exec(stdout)?.[1] ?? 'unknown' } : undefined);
    });
  });

/** The process that listens on a port, or undefined when the system does not tell. Never throws. */
export const portHolder = async (
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<PortHolder | undefined> =>
  platform === 'linux' ? ((await fromProc(port)) ?? fromLsof(port)) : fromLsof(port);
