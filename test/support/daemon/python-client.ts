// Drives the Python application requests_oauthlib_client.py one step at a time, and returns its errors as values.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Requirement, requirement } from '../runner/requirements.ts';

/** The Python of the system, because only that one has the packages of the system. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = fileURLToPath(new URL('./requests_oauthlib_client.py', import.meta.url));

export const pythonRequirement = (): Requirement => {
  const { status } = spawnSync(PYTHON, ['-c', 'import requests_oauthlib']);
  const reason = `${PYTHON} has no requests_oauthlib; install python3-requests-oauthlib`;
  return requirement('python', status === 0, reason);
};

/** The error that the library raised. */
export interface Raised {
  readonly type: string;
  /** The error code of RFC 6749, if there is one. */
  readonly code: string | null;
  readonly text: string;
}

export interface PythonClient {
  /**
   * Runs a step.
   * @throws Error with the error of the library
   */
  step<T = Readonly<Record<string, unknown>>>(name: string, given?: Readonly<Record<string, unknown>>): Promise<T>;
  /** Runs a step that must fail, and returns the error of the library. */
  fails(name: string, given?: Readonly<Record<string, unknown>>): Promise<Raised>;
  close(): Promise<void>;
}

/** Starts the application. It runs until it is closed. */
export const startPythonClient = (): PythonClient => {
  const child = spawn(PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (name: string, given = {}): Promise<{ readonly value?: unknown; readonly error?: Raised }> => {
    child.stdin.write(`${JSON.stringify([name, given])}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the Python application ended in ${name}`);
    return JSON.parse(value) as { value?: unknown; error?: Raised };
  };
  return {
    async step<T>(name: string, given?: Readonly<Record<string, unknown>>): Promise<T> {
      const { value, error } = await ask(name, given);
      if (error !== undefined) throw new Error(`${name}: ${error.type} ${error.text}`);
      return value as T;
    },
    async fails(name, given) {
      const { value, error } = await ask(name, given);
      if (error === undefined) throw new Error(`${name} should have failed, and answered ${JSON.stringify(value)}`);
      return error;
    },
    async close() {
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    },
  };
};
