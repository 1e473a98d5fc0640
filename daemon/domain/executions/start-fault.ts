// Classifies a failed start: whether a later attempt can succeed, whose fault it is, and what to do.

/**
 * - `start`: a later attempt may succeed
 * - `never`: no start of the actor can succeed until the actor, its image or its folder is changed
 * - `size`: this run can never start, because its variables are too large; other messages can
 */
export type StartFaultKind = 'start' | 'never' | 'size';

export interface StartFault {
  readonly kind: StartFaultKind;
  /** Cause and fix, without a final full stop. */
  readonly message: string;
}

/** The file of a program, as found on the disk or in the image. */
export interface ProgramFile {
  readonly state: 'no working folder' | 'missing' | 'folder' | 'not executable' | 'executable';
  /** The path that was found. For a missing program, the last one that was looked up. */
  readonly path: string;
  /** True if PATH lacks the program, but the working folder has it. */
  readonly isInWorkingFolder?: boolean;
  /** The beginning of a script, at least its first line. Absent or without `#!` for any other program. */
  readonly head?: string;
  /** Whether the interpreter that the first line names exists. */
  readonly hasInterpreter?: boolean;
}

/** Where a command comes from. */
export interface CommandSource {
  /** `the image hello:1`, `the folder /home/ana/hello`. */
  readonly owner: string;
  /** What names the command: `CMD or ENTRYPOINT of the image`, `"command" in /home/ana/hello/actor.json`. */
  readonly field: string;
  /** What must be done after a file was corrected. Absent if nothing. */
  readonly afterwards?: string;
}

/** Kernels read at most this much of a first line. */
const LINE_LIMIT = 256;

const firstLineOf = (head: string): string | undefined =>
  head.startsWith('#!') ? head.slice(2, LINE_LIMIT).split('\n', 1)[0] : undefined;

/** The interpreter that a script names, as the kernel reads it. Undefined if the text is not a script. */
export const interpreterOf = (head: string): string | undefined => {
  const [path] = (firstLineOf(head) ?? '').replace(/^[ \t]+/, '').split(/[ \t]/);
  return path === '' ? undefined : path;
};

/** True if the carriage return belongs to the name of a program, which then does not exist: `sh\r`, `env python3\r`. */
const isSpoiltByCarriageReturn = (head: string): boolean => {
  const words = (firstLineOf(head) ?? '').trimStart().split(/[ \t]+/);
  return words.at(-1)?.endsWith('\r') === true && (words.length === 1 || /(?:^|\/)env$/.test(words[0] ?? ''));
};

/** What is wrong with the program of a command, and the fix. Undefined if nothing is known to be wrong. */
export const programFault = (
  name: string,
  { state, path, isInWorkingFolder = false, head = '', hasInterpreter = true }: ProgramFile,
  { owner, field, afterwards }: CommandSource,
): string | undefined => {
  const then = afterwards === undefined ? '' : `, then ${afterwards}`;
  const fault = (why: string) => `cannot run "${name}" of ${owner}: ${why}`;
  if (state === 'folder') return fault(`it is a folder. Name a program in ${field}`);
  if (state === 'not executable') return fault(`it is not executable. Make it so: chmod +x ${path}${then}`);
  if (state === 'no working folder') return fault('the folder was deleted. Create it again');
  if (state === 'missing' && name.includes('/'))
    return fault(`it does not exist. Correct ${field}, or add the file${then}`);
  if (state === 'missing')
    return fault(
      isInWorkingFolder
        ? `no folder of its PATH has it. Write "./${name}" in ${field}`
        : `no folder of its PATH has it. Write its absolute path in ${field}, or set the variable PATH of the actor`,
    );
  if (isSpoiltByCarriageReturn(head))
    return fault(`its lines end with CR LF, as on Windows. Convert them: sed -i 's/\\r$//' ${path}${then}`);
  const interpreter = interpreterOf(head);
  if (interpreter !== undefined && !hasInterpreter)
    return fault(`its interpreter ${interpreter} does not exist. Install it, or correct the first line of ${path}`);
  return undefined;
};

const TOO_LARGE =
  'The variables of this execution are larger than the system accepts. Send a smaller message or fewer variables, or shorten the variables, the state and the configs of the actor';

/** Codes of system errors that waiting does not change, and what they mean for a program. */
const LASTING: Readonly<Record<string, string>> = {
  ENOENT: 'the system cannot load it: it was built for another system, or a library is missing',
  EACCES: 'permission denied. The user of the daemon may not run it, or its file system is mounted with noexec',
  ENOEXEC: 'the system cannot run it: it was built for another processor, or its first line is not #!',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
};

/**
 * Classifies the failure of the system to start a program.
 * @param failure `code` such as ENOENT, `said` the message of the system
 * @param file the file of the program. Undefined if it cannot be looked up
 */
export const systemStartFault = (
  failure: { readonly code: string | undefined; readonly said: string },
  name: string,
  file: ProgramFile | undefined,
  source: CommandSource,
): StartFault => {
  const { code = '', said } = failure;
  if (code === 'E2BIG') return { kind: 'size', message: `${TOO_LARGE} (${said})` };
  const why = LASTING[code];
  if (why === undefined) return { kind: 'start', message: `cannot run "${name}" of ${source.owner}: ${said}` };
  const fault = file && programFault(name, file, source);
  return { kind: 'never', message: fault ?? `cannot run "${name}" of ${source.owner}: ${why} (${said})` };
};

/** Phrases with which engines refuse a container for good, and the fix. Any other refusal may be temporary. */
const REFUSALS: readonly (readonly [phrase: RegExp, fix: string])[] = [
  [
    /unable to find (?:user|group) |uids and gids must be in range/,
    'Correct USER of the image, or add the user to its /etc/passwd',
  ],
  [
    /container process.{0,20}: exec: "(?!\/\S*init")[^"]*": |OCI runtime attempted to invoke a command that was not found/,
    'Correct CMD or ENTRYPOINT of the image, or make its program executable: chmod +x',
  ],
  [/workdir "?\S+"? .*not a directory|Cannot mkdir: \S+ is not a directory/, 'Correct WORKDIR of the image'],
  [
    /unable to setup user: invalid argument|\bset(?:res)?[ug]id\b.*: invalid argument/i,
    'The engine has no such user id: without root it has the ids of /etc/subuid and /etc/subgid only. Use a lower USER in the image, or give the user of the engine a larger range',
  ],
  [/Range of CPUs is from/, 'Lower the limit: actorctl actors update ACTOR --cpus N'],
];

/** Phrases about a description or an environment that is too large. */
const OVERSIZE = /argument list too long|raft message is too large|received message larger than max/i;

/** Classifies the message with which an engine refuses to create or start a container. */
export const engineStartFault = (said: string): StartFault => {
  if (OVERSIZE.test(said)) return { kind: 'size', message: `${TOO_LARGE} (${said})` };
  const fix = REFUSALS.find(([phrase]) => phrase.test(said))?.[1];
  return fix === undefined ? { kind: 'start', message: said } : { kind: 'never', message: `${said}. ${fix}` };
};
