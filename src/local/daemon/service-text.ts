// The texts of a user service for systemd and for launchd.

/** Variable that tells the daemon that it runs as a service. */
export const SERVICE_VARIABLE = 'ACTORCTL_SERVICE';

export interface ServiceSpec {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the program, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** File for output of the program outside of its log. */
  readonly errors: string;
}

/** A word in double quotes. `%` begins a specifier. The manual page systemd.syntax(7) has the rules. */
const quoted = (text: string): string =>
  `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/%/g, '%%')}"`;

/** A word of a command line, in which `$` begins a variable. The manual page systemd.service(5) has the rules. */
const argument = (text: string): string => quoted(text).replace(/\$/g, '$$$$');

/**
 * The unit signals only the main process, because processes of `file:` actors outlive the daemon. It does not
 * restart after a usage error.
 */
export const systemdUnit = ({ description, program, args, variables }: ServiceSpec): string =>
  [
    '[Unit]',
    `Description=${description}`,
    '',
    '[Service]',
    'Type=exec',
    ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    // systemd refuses quotes and backslashes in the path of a program, so the shell replaces itself by the program.
    `ExecStart=${['/bin/sh', '-c', 'exec "$@"', 'sh', program, ...args].map(argument).join(' ')}`,
    'KillMode=process',
    'TimeoutStopSec=90',
    'Restart=on-failure',
    'RestartSec=2',
    'RestartPreventExitStatus=2',
    'SuccessExitStatus=143',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

export const launchdPlist = ({ name, program, args, variables, errors }: ServiceSpec): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${escaped(name)}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...[program, ...args].map((word) => `    <string>${escaped(word)}</string>`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(variables).map(
      ([key, value]) => `    <key>${escaped(key)}</key><string>${escaped(value)}</string>`,
    ),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>AbandonProcessGroup</key><true/>',
    '  <key>ExitTimeOut</key><integer>90</integer>',
    `  <key>StandardErrorPath</key><string>${escaped(errors)}</string>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');

const words = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, word = '']) => word);

const fromUnit = (text: string): readonly string[] =>
  words(/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '', /"((?:[^"\\]|\\.)*)"/g)
    .map((word) =>
      word
        .replace(/\$\$/g, '$')
        .replace(/%%/g, '%')
        .replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
    )
    // The first four words are the shell that starts the program.
    .slice(4);

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const fromPlist = (text: string): readonly string[] =>
  words(/<array>(.*?)<\/array>/s.exec(text)?.[1] ?? '', /<string>([^<]*)<\/string>/g).map((word) =>
    word.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => named[name] ?? ''),
  );

/** The program and arguments in a text of `systemdUnit` or `launchdPlist`. */
export const commandLineOf = (text: string): readonly string[] =>
  text.startsWith('<?xml') ? fromPlist(text) : fromUnit(text);
