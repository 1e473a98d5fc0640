// The shape of the matrix of commands: one row per command, one cell per situation. @see docs/conformance/tests.md#matrix-of-commands

/** A cell that does not apply, with the reason. */
export interface None {
  readonly none: string;
}

/** A command line after the name of the command. Names in braces are fixtures of the world: `{actor}`, `{new}`. */
export interface Invocation {
  readonly line: string;
  /** All of standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `own`: a home with a login of its own, for commands that end the login. */
  readonly home?: 'own';
  /** The folder in which it runs. The default is a folder without a project. */
  readonly cwd?: '{project}';
  /** Runs the built program in a process of its own. */
  readonly process?: true;
  /** Interrupts the command as soon as its output matches. */
  readonly until?: RegExp;
  /** A command line that runs again and again until the command ends. */
  readonly meanwhile?: string;
  /** The exit code of a success, with the reason if it is not 0. */
  readonly ends?: { readonly code: number; readonly because: string };
}

export type Line = string | Invocation;

/** An outcome that differs from the usual one of the column. */
export interface Other {
  readonly because: string;
  /** The line to run, if it is not the usual one of the column. */
  readonly line?: Line;
  readonly code: number;
  /** Matches the output, or the error message. */
  readonly says: RegExp;
}

/** A cell of a command that works in this situation as well. */
export interface Works {
  readonly works: string;
}

/**
 * What a command does in each situation.
 *
 * A cell that does not apply says why. `daemonDown` and `notLoggedIn` may be left out: then the usual outcome is
 * required, for the line of `success`.
 */
export interface Row {
  /** Exits with 0 and prints something. */
  readonly success: Line | None;
  /** Why a success prints nothing on standard output. */
  readonly silent?: string;
  /** With `--json`, a success prints one JSON value, or one per line. */
  readonly json: 'value' | 'lines' | None;
  /** Why an error is not the JSON object of docs/cli.md#errors. */
  readonly plainErrors?: string;
  /** A line with the name `nosuch`. Exits with 6, quotes the name, and says what to do. */
  readonly wrongName: Line | None | Other;
  /** Exits with 2, names the missing argument, and prints the usage line. */
  readonly noArgument: 'usage' | None | Other;
  /** Exits with 9 and names `actorctl up`. */
  readonly daemonDown?: None | Other | Works;
  /** Exits with 4 and names `actorctl login`. */
  readonly notLoggedIn?: None | Other | Works;
}

/** Rows by the name of their command: `actors show`. */
export type Rows = Readonly<Record<string, Row>>;

export const none = (why: string): None => ({ none: why });
export const works = (why: string): Works => ({ works: why });

export const NO_NAME = none('it takes no name of a thing');
export const NEW_NAME = none('its argument is the name of a new thing');
export const NO_ARGUMENT = none('it takes no argument, so this is the success');
export const EVERYTHING = none('without an argument it covers everything, which is the success of another line');
export const FILES_ONLY = works('it reads and writes files of the person only');
