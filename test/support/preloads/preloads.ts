// Options of node that load a file before the program.
import { fileURLToPath } from 'node:url';

const preload = (name: string): readonly string[] => ['--require', fileURLToPath(new URL(name, import.meta.url))];

/** A warning of Node, such as MaxListenersExceededWarning, ends the process as an uncaught exception does. */
export const failOnWarning = preload('fail-on-warning.cjs');

/** Makes passwords cheap in the built daemon. */
export const cheapPasswords = preload('cheap-scrypt.cjs');

/** For the built programs. The built command line hands its own options on to the daemon that it starts. */
export const preloads: readonly string[] = [...failOnWarning, ...cheapPasswords];
