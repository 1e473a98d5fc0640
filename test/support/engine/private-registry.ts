// A registry on this machine that demands a user and a password.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const REGISTRY_USER = 'lab';
export const REGISTRY_PASSWORD = 'lab-password';
/** The bcrypt hash of the password. */
const USERS = 'lab:$2b$04$XtcJdHnfs4/vtQAooyI9be.VshrWRoRU04ufdIqARNvsNUPvDSOP2\n';

export interface PrivateRegistry {
  /** `127.0.0.1:PORT`. Docker accepts registries without TLS there. */
  readonly host: string;
  readonly close: () => Promise<void>;
}

/** Whether the program of the registry is installed. */
export const hasRegistryProgram = (): boolean => {
  try {
    execFileSync('docker-registry', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Starts the registry on a free port. */
export const privateRegistry = async (): Promise<PrivateRegistry> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-registry-'));
  writeFileSync(path.join(folder, 'users'), USERS);
  const lines = [
    'version: 0.1',
    'log: {level: info}',
    `storage: {filesystem: {rootdirectory: ${folder}/data}}`,
    'http: {addr: "127.0.0.1:0"}',
    `auth: {htpasswd: {realm: lab, path: ${folder}/users}}`,
  ];
  writeFileSync(path.join(folder, 'registry.yml'), `${lines.join('\n')}\n`);
  const child = spawn('docker-registry', ['serve', path.join(folder, 'registry.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject).once('exit', () => reject(new Error(`docker-registry ended: ${said}`)));
  });
  return {
    host: `127.0.0.1:${port}`,
    close: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
