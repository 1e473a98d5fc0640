// Finds out whether a TCP port of this machine is in use, and by which process, if the system reveals it.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { CliFailure, systemCode } from '../../failure.ts';

export interface PortHolder {
  readonly pid: number;
  readonly command: string;
}

/** What a read below /proc returns. Undefined if the process belongs to another user or has ended. */
const orUndefined = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch {
    // The search is best effort. The caller already knows that the port is in use.
    return undefined;
  }
};

/**
 * Inodes of the sockets that listen on a port. @see proc(5) /proc/net/tcp: local address in field 1, state 0A listens,
 * inode in field 9
 */
const listening = (table: string, port: number): readonly string[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .flatMap((fields) => (fields[9] ? [fields[9]] : []));
};

const commandOf = async (pid: number): Promise<string> => {
  const line = await orUndefined(readFile(`/proc/${pid}/cmdline`, 'utf8'));
  return line?.replaceAll('\0', ' ').trim() || 'unknown';
};

const fromProc = async (port: number): Promise<PortHolder | undefined> => {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => orUndefined(readFile(file, 'utf8'))),
  );
  const wanted = new Set(tables.flatMap((table) => listening(table ?? '', port)).map((inode) => `socket:[${inode}]`));
  if (wanted.size === 0) return undefined;
  for (const name of (await orUndefined(readdir('/proc'))) ?? []) {
    if (!/^\d+$/.test(name)) continue;
    for (const fd of (await orUndefined(readdir(`/proc/${name}/fd`))) ?? []) {
      const target = await orUndefined(readlink(`/proc/${name}/fd/${fd}`));
      if (target !== undefined && wanted.has(target))
        return { pid: Number(name), command: await commandOf(Number(name)) };
    }
  }
  return undefined;
};

/** Output of `lsof -F`: one field per line, `p` is the process id, `c` the command. */
const fromLsof = (port: number): Promise<PortHolder | undefined> =>
  new Promise((resolve) => {
    execFile('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { timeout: 3_000 }, (_error, stdout) => {
      const pid = /^p(\d+)$/m.exec(stdout)?.[1];
      resolve(pid ? { pid: Number(pid), command: /^c(.+)$/m.exec(stdout)?.[1] ?? 'unknown' } : undefined);
    });
  });

/** The process that listens on a port, or undefined if the system does not reveal it. Never throws. */
export const portHolder = async (
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<PortHolder | undefined> =>
  platform === 'linux' ? ((await fromProc(port)) ?? fromLsof(port)) : fromLsof(port);

export const isTaken = (port: number, address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(systemCode(error) === 'EADDRINUSE'));
    server.listen(port, address, () => server.close(() => resolve(false)));
  });

export const portFailure = async (port: number, hint: string): Promise<CliFailure> => {
  const holder = await portHolder(port);
  const by = holder ? ` by process ${holder.pid} (${holder.command.slice(0, 200)})` : '';
  return new CliFailure('PORT_IN_USE', `port ${port} is in use${by}`, { hint, details: { port, ...holder } });
};
