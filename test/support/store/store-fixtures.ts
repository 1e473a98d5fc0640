// Helpers for tests of the store: a logger that stores its lines, a clock that the test sets, and temporary folders.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../daemon/ports/clock.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';

export interface RememberingLogger extends Logger {
  readonly lines: {
    readonly level: string;
    readonly fields: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[];
}

export const rememberingLogger = (): RememberingLogger => {
  const lines: RememberingLogger['lines'] = [];
  const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
};

/** A clock that the test sets. */
export const handClock = (start = 1_000): Clock & { set(time: number): void } => {
  let time = start;
  return {
    now: () => time,
    set(next) {
      time = next;
    },
  };
};

/** A folder that is deleted at the end of the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Every file and folder below `folder`: path → permission bits and content. */
export const contents = (folder: string): Map<string, string> => {
  const found = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = path.join(folder, name);
    const facts = statSync(file);
    const text = facts.isDirectory() ? 'folder' : readFileSync(file).toString('hex');
    found.set(name, `${(facts.mode & 0o777).toString(8)} ${text}`);
  }
  return found;
};

/** Waits until `condition` is true, with no limit but the time limit of the test. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
};
