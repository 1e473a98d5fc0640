// What `actors check` finds: each rule looks at what is known and says what is wrong and what to do, or nothing.
import type { ImageReport, TrialReport } from '../../local/daemon/image-client.ts';
import { wordBytes } from '../../ui/format/table.ts';
import { wordDuration } from '../../ui/format/time.ts';

/** `error`: it will not work; `warn`: it may not, or not well; `pass`: it was looked at and is fine. */
export type Level = 'error' | 'warn' | 'pass';

export interface Finding {
  readonly id: string;
  readonly level: Level;
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** Above this an image is slow to move about, in bytes. */
const LARGE = 1_000_000_000;

/** A name under which a secret is likely to stand. */
export const looksSecret = (name: string): boolean =>
  /secret|passw|token|private|credential|(?:^|_)key(?:$|_)/i.test(name);

const finding = (id: string, level: Level, message: string, fix?: string): Finding => ({
  id,
  level,
  message,
  ...(fix !== undefined && { fix }),
});

/** What is known of the image without running it. */
export const imageFindings = (image: string, report: ImageReport): readonly Finding[] => {
  const secrets = report.variables.filter(looksSecret);
  return [
    report.command.length === 0
      ? finding('command', 'error', `${image} has nothing to run`, 'add CMD or ENTRYPOINT to its Dockerfile')
      : finding('command', 'pass', `runs ${report.command.join(' ')}`),
    report.os === 'linux' && (report.engineArchitecture === '' || report.architecture === report.engineArchitecture)
      ? finding('arch', 'pass', `${report.os}/${report.architecture}`)
      : finding(
          'arch',
          'warn',
          `the image is ${report.os}/${report.architecture}, the engine is linux/${report.engineArchitecture}: slow emulation, or none`,
          `build it with --platform linux/${report.engineArchitecture}`,
        ),
    report.size > LARGE
      ? finding('size', 'warn', `${wordBytes(report.size)} is a large image`, 'begin with a smaller base image')
      : finding('size', 'pass', wordBytes(report.size)),
    /^(?:|0|root)(?::|$)/.test(report.user)
      ? finding('user', 'warn', 'it runs as root inside its container', 'add USER to its Dockerfile')
      : finding('user', 'pass', `runs as ${report.user}`),
    ...(secrets.length > 0
      ? [
          finding(
            'secrets',
            'warn',
            `the image itself holds ${secrets.join(', ')}: whoever has the image can read it`,
            'use a config: actorctl configs create NAME --secret',
          ),
        ]
      : []),
  ];
};

/** What came of running it once. */
export const trialFindings = (trial: TrialReport, timeoutMs: number): readonly Finding[] => {
  const last = trial.log.trimEnd().split('\n').at(-1) ?? '';
  const said = last === '' ? '' : `; it said: ${last.slice(0, 200)}`;
  if (trial.outOfMemory)
    return [finding('run', 'error', `it ran out of memory${said}`, 'give it more with --memory, or let it use less')];
  if (trial.timedOut) {
    return [
      finding(
        'run',
        'warn',
        `it did not end within ${wordDuration(timeoutMs)}${said}`,
        'an actor ends when its message is done; a server does not. Give --wait DUR if it needs longer',
      ),
    ];
  }
  if (trial.exitCode !== 0)
    return [
      finding(
        'run',
        'warn',
        `it ended with ${trial.exitCode} for the sample message${said}`,
        'give a message it understands: --message, or tests/sample.json',
      ),
    ];
  return [finding('run', 'pass', `ended with 0 in ${wordDuration(trial.runtimeMs)}`)];
};

/** What the files of the folder tell. `sources`: the texts of its programs. */
export const sourceFindings = (sources: readonly string[], variables: readonly string[]): readonly Finding[] => {
  const all = sources.join('\n');
  const secrets = variables.filter(looksSecret);
  return [
    ...(/\bMSG\b/.test(all) && !/\bMSG_FILE\b/.test(all)
      ? [
          finding(
            'long-message',
            'warn',
            'it reads MSG and not MSG_FILE: a message of 128 KiB or more comes as a file',
            'read the file that MSG_FILE names when it is set',
          ),
        ]
      : []),
    ...(secrets.length > 0
      ? [
          finding(
            'secrets',
            'warn',
            `actorctl.json holds ${secrets.join(', ')} in clear`,
            'put them into env_file, or use a config: actorctl configs create NAME --secret',
          ),
        ]
      : []),
  ];
};

/** Whether a text is a JSON Schema as far as its shape tells. */
export const schemaFindings = (name: string, text: string | undefined): readonly Finding[] => {
  if (text === undefined) return [finding('schema', 'error', `there is no ${name}`, 'correct "message_schema"')];
  try {
    const value: unknown = JSON.parse(text);
    const shaped = typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
    return [
      shaped
        ? finding('schema', 'pass', `${name} is JSON`)
        : finding('schema', 'error', `${name} is no JSON Schema: it must be an object`),
    ];
  } catch (error) {
    return [
      finding('schema', 'error', `${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`),
    ];
  }
};
