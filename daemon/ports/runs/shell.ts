// Port of shells: a program for a person, in a run like that of an execution, which is recorded nowhere.
import type { EnvironmentFile } from '../../domain/actors/environment.ts';

export interface ShellSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ShellRequest {
  /** The engine's id of the image. If absent, the image that the run names. */
  readonly imageId?: string | undefined;
  /** Program and arguments. Empty: bash if the image has it, otherwise sh. */
  readonly command: readonly string[];
  /** Size of the terminal. Absent for a program without a terminal. */
  readonly size?: ShellSize | undefined;
}

/** A shell in a container, which runs until its program ends or it is closed. */
export interface ContainerShell {
  /** The command line that the image runs in an execution. */
  readonly ran: readonly string[];
  /** Everything that the program writes. Ends with the program. */
  readonly output: AsyncIterable<{ readonly stream: 'stdout' | 'stderr'; readonly data: Uint8Array }>;
  write(data: Uint8Array): Promise<void>;
  /** Ends the input of the program. */
  endInput(): void;
  resize(size: ShellSize): Promise<void>;
  /** Resolves with the exit code, after the output has ended. @throws ExecutorError */
  exitCode(): Promise<number>;
  /** Kills the program and removes everything of the shell. */
  close(): Promise<void>;
}

/** A shell in a copy of a folder, which the client makes and starts as its own process. */
export interface FolderShell {
  readonly ran: readonly string[];
  readonly folder: string;
  /** Without PWD, HOME and TMPDIR, which depend on the copy. */
  readonly environment: Readonly<Record<string, string>>;
  readonly files: readonly EnvironmentFile[];
  /** JSON text of the state, for the state file. Absent for a stateless actor. */
  readonly state?: string;
}

export type OpenShell = ContainerShell | FolderShell;

export interface Shells {
  /**
   * Opens a shell with what the execution had. `notes` says what differs, as sentences.
   * @throws Failure NOT_FOUND, VALIDATION if the engine has no shells; ExecutorError
   */
  open(
    executionId: string,
    request: Omit<ShellRequest, 'imageId'>,
    signal: AbortSignal,
  ): Promise<{ readonly shell: OpenShell; readonly notes: readonly string[] }>;
}
