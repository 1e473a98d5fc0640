// Splits the commands in BROWSER into words, and detects commands that start a sandboxed browser.
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Pattern of a command or of one word in it: quoted parts, escaped characters, and other characters. */
const QUOTED = String.raw`"(?:\\.|[^"\\])*"|'[^']*'|\\.`;
const COMMAND = new RegExp(`(?:${QUOTED}|:(?=//)|[^:])+`, 'gs');
const WORD = new RegExp(String.raw`(?:${QUOTED}|\S)+`, 'gs');
const PART = /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs;

/** Splits a command into words as a shell does, without expansions. */
const wordsOf = (command: string): readonly string[] =>
  (command.match(WORD) ?? []).map((word) =>
    word.replace(PART, (_part, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  );

/** The same pattern for Windows, where a backslash separates folders. */
const windowsWordsOf = (command: string): readonly string[] =>
  (command.match(/(?:"[^"]*"|\S)+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** The commands of a list: separated by colons as in PATH, on Windows by semicolons. */
export const commandsIn = (list: string, platform: NodeJS.Platform): readonly (readonly string[])[] =>
  (platform === 'win32' ? list.split(';').map(windowsWordsOf) : (list.match(COMMAND) ?? []).map(wordsOf)).filter(
    (words) => words.length > 0,
  );

/** The path of a program, searched in PATH if the name has no folder. */
const programAt = (name: string, env: Environment): string | undefined => {
  const folders = /[/\\]/.test(name) ? [''] : (env['PATH'] ?? '').split(path.delimiter).filter((each) => each !== '');
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
      } catch {
        return false;
      }
    });
};

/** Joins the first words if they are the path of a program with spaces that was written without quotes. */
export const withProgram = (words: readonly string[], env: Environment): readonly string[] => {
  for (let count = words.length; count > 1; count -= 1) {
    const name = words.slice(0, count).join(' ');
    if (programAt(name, env) !== undefined) return [name, ...words.slice(count)];
  }
  return words;
};

/** The first bytes of a script. Empty for a program that is not a script or cannot be read. */
const scriptAt = (file: string): string => {
  try {
    const handle = openSync(file, 'r');
    try {
      const start = Buffer.alloc(4096);
      const text = start.toString('latin1', 0, readSync(handle, start));
      return text.startsWith('#!') ? text : '';
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
};

/** Patterns that identify a sandboxed browser by its program path or by its start script. */
const SANDBOXES = [
  { kind: 'a snap', at: /^(\/var\/lib\/snapd)?\/snap\/|(^|\/)snap$/, script: /\/snap\/bin\/|\bsnap\s+run\b/ },
  { kind: 'a Flatpak', at: /\/flatpak\/(exports|app)\/|(^|\/)flatpak$/, script: /\bflatpak\s+run\b/ },
] as const;

/** The programs that xdg-open tries if the desktop has no default browser. */
const USUAL =
  'x-www-browser firefox iceweasel seamonkey mozilla epiphany konqueror chromium chromium-browser google-chrome';

/** The command with which the desktop opens a local page. Empty if there is none. */
const ofDesktop = async (env: Environment): Promise<readonly string[]> => {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const name = await new Promise<string>((resolve) => {
    const options = { env, timeout: 5000 };
    execFile('xdg-mime', ['query', 'default', 'text/html'], options, (_error, stdout) => resolve(stdout.trim()));
  });
  const own = env['XDG_DATA_HOME'] || path.join(env['HOME'] ?? '', '.local', 'share');
  const folders = [
    own,
    ...(env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share').split(':'),
    path.join(own, 'flatpak', 'exports', 'share'),
    '/var/lib/flatpak/exports/share',
    '/var/lib/snapd/desktop',
  ];
  for (const folder of name === '' ? [] : folders) {
    try {
      const [, command] = /^Exec=(.*)$/m.exec(readFileSync(path.join(folder, 'applications', name), 'utf8')) ?? [];
      if (command !== undefined) return wordsOf(command);
    } catch {
      // The desktop entry of the program may be in another folder.
    }
  }
  return USUAL.split(' ').filter((each) => programAt(each, env) !== undefined);
};

/**
 * The sandboxed browser that a command starts, which cannot read a private file of this user. Undefined if it starts
 * none. Distributions may start a snap or a Flatpak through a link or a short script on PATH.
 */
export const sandboxOf = async (words: readonly string[], env: Environment): Promise<string | undefined> => {
  const [name = ''] = words[0] === 'env' ? words.slice(1).filter((word) => !/^\w+=/.test(word)) : words;
  const byDesktop = /^(xdg-open|gio|sensible-browser)$/.test(path.basename(name));
  if (env['WSL_DISTRO_NAME'] && (byDesktop || /\.exe$|(^|\/)wslview$/i.test(name))) return 'a Windows program';
  if (byDesktop) return sandboxOf(await ofDesktop(env), env);
  const file = programAt(name, env);
  const [paths, script] = file === undefined ? [[name], ''] : [[name, file, realpathSync(file)], scriptAt(file)];
  return SANDBOXES.find((each) => paths.some((one) => each.at.test(one)) || each.script.test(script))?.kind;
};
