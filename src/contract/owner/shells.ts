// The operation that opens a shell in a run like that of an execution.
import * as z from 'zod/mini';
import { longOperation } from './owner-operation.ts';

const LONGEST_SIDE = 10_000;
const side = z.int().check(z.minimum(1), z.maximum(LONGEST_SIDE));
const size = z.object({ columns: side, rows: side });
export type TerminalSize = z.output<typeof size>;

/** One line of the request after the first. Its end ends the input of the program. */
export type ShellInput = { /** Base64. */ readonly data: string } | { readonly size: TerminalSize };

/** A shell that the client starts itself, in a copy of the folder. */
export interface ClientShell {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files that the program reads: their variable, and their content in base64. */
  readonly files: readonly { readonly name: string; readonly variable: string; readonly data: string }[];
  /** JSON text of the state. Absent for a stateless actor. */
  readonly state?: string;
}

export interface ShellOpened {
  /** The command line of the actor. */
  readonly ran: readonly string[];
  /** What differs from the execution. */
  readonly notes: readonly string[];
  /** Present if the client starts the shell. Nothing follows then. */
  readonly folder?: ClientShell;
}

/** A progress text of the operation, as JSON. The output is in base64. */
export type ShellEvent =
  | { readonly opened: ShellOpened }
  | { readonly stdout: string }
  | { readonly stderr: string }
  /** The last one. The client ends its request then. */
  | { readonly exitCode: number };

export const shellOperations = {
  // The request bytes are lines of JSON (`ShellInput`), the progress texts are JSON (`ShellEvent`).
  'shells.open': longOperation({
    id: 'shells.open',
    summary: 'Open a shell with what an execution had',
    input: z.object({
      executionId: z.string(),
      /** Program and arguments. Empty: bash or sh. */
      command: z.array(z.string()),
      /** Absent for a program without a terminal. */
      size: z.optional(size),
    }),
    result: z.object({}),
  }),
};
