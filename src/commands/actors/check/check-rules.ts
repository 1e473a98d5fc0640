// The rules of `actors check`. Each rule returns findings, and a fix for each problem.

import type { ImageReport, TrialReport } from '../../../contract/owner/images.ts';
import { jsonProblem, withoutMark } from '../../../local/written-json.ts';

import { formatBytes } from '../../../ui/format/table.ts';
import { formatDuration } from '../../../ui/format/time.ts';

/** `error`: the actor will not work. `warning`: it may fail or work badly. `ok`: the check found no problem. */
export type Level = 'error' | 'warning' | 'ok';

export interface Finding {
  readonly id: string;
  readonly level: Level;
  readonly message: string;
  readonly fix?: string;
}

/** Image size in bytes above which the check warns, because large images are slow to transfer. */
const LARGE = 1_000_000_000;

export const looksSecret = (name: string): boolean =>
  /secret|passw|token|private|credential|(?:^|_)key(?:$|_)/i.test(name);

const finding = (id: string, level: Level, message: string, fix?: string): Finding => ({
  id,
  level,
  message,
  ...(fix !== undefined && { fix }),
});

export const imageFindings = (image: string, report: ImageReport): readonly Finding[] => {
  const secrets = report.variables.filter(looksSecret);
  return [
    report.command.length === 0
      ? finding('command', 'error', `${image} has no command`, 'add CMD or ENTRYPOINT to its Dockerfile')
      : finding('command', 'ok', `runs ${report.command.join(' ')}`),
    report.os === 'linux' && (report.engineArchitecture === '' || report.architecture === report.engineArchitecture)
      ? finding('arch', 'ok', `${report.os}/${report.architecture}`)
      : finding(
          'arch',
          'warning',
          `the image is for ${report.os}/${report.architecture}, but the engine is linux/${report.engineArchitecture}: emulation is slow, or not available`,
          `build it with --platform linux/${report.engineArchitecture}`,
        ),
    report.size > LARGE
      ? finding('size', 'warning', `the image is large: ${formatBytes(report.size)}`, 'use a smaller base image')
      : finding('size', 'ok', formatBytes(report.size)),
    /^(?:|0|root)(?::|$)/.test(report.user)
      ? finding('user', 'warning', 'the actor runs as root in its container', 'add USER to its Dockerfile')
      : finding('user', 'ok', `runs as ${report.user}`),
    ...(secrets.length > 0
      ? [
          finding(
            'secrets',
            'warning',
            `the image contains ${secrets.join(', ')}: everyone with the image can read it`,
            'use a config: actorctl configs create NAME --secret',
          ),
        ]
      : []),
  ];
};

/** What the container engine does not enforce or provide. */
export const engineFindings = (warnings: readonly string[]): readonly Finding[] =>
  warnings.map((text) => finding('engine', 'warning', text, 'actorctl doctor'));

export const trialFindings = (trial: TrialReport, timeoutMs: number): readonly Finding[] => {
  const last = trial.log.trimEnd().split('\n').at(-1) ?? '';
  const said = last === '' ? '' : `; last output: ${last.slice(0, 200)}`;
  if (trial.outOfMemory)
    return [finding('run', 'error', `the actor ran out of memory${said}`, 'raise --memory, or reduce its memory use')];
  if (trial.outOfDisk)
    return [finding('run', 'error', `the actor wrote too many files${said}`, 'raise ACTORCTL_DISK_MB, or write less')];
  if (trial.timedOut) {
    return [
      finding(
        'run',
        'warning',
        `the actor did not end within ${formatDuration(timeoutMs)}${said}`,
        'an actor must end after one message, unlike a server. If it needs more time, add --timeout DURATION',
      ),
    ];
  }
  if (trial.exitCode !== 0)
    return [
      finding(
        'run',
        'warning',
        `the actor exited with ${trial.exitCode} for the sample message${said}`,
        'give a suitable message: --message, or tests/sample.json. A trial has no service, so writing a state or a result fails',
      ),
    ];
  return [finding('run', 'ok', `exited with 0 in ${formatDuration(trial.runtimeMs)}`)];
};

/**
 * @param isSwarm the daemon runs actors on a swarm, where very long messages are fetched by HTTP instead of passed
 * as files
 */
export const sourceFindings = (
  sources: readonly string[],
  variables: readonly string[],
  isSwarm: boolean,
): readonly Finding[] => {
  const all = sources.join('\n');
  const secrets = variables.filter(looksSecret);
  return [
    ...(/\bMSG\b/.test(all) && !/\bMSG_FILE\b/.test(all)
      ? [
          finding(
            'long-message',
            'warning',
            'the source reads MSG but not MSG_FILE: messages of 128 KiB or more are passed as a file',
            'if MSG_FILE is set, read the file that it names',
          ),
        ]
      : []),
    ...(isSwarm && /\bMSG(?:_FILE)?\b/.test(all) && !/\bMSG_URL\b/.test(all)
      ? [
          finding(
            'very-long-message',
            'warning',
            'the source does not read MSG_URL: on a swarm, messages of more than 500 KB are fetched from there',
            'if MSG_URL is set, get the message with one HTTP request to it',
          ),
        ]
      : []),
    ...(secrets.length > 0
      ? [
          finding(
            'secrets',
            'warning',
            `actorctl.json contains ${secrets.join(', ')} in plain text`,
            'move the value to a config: actorctl configs create NAME --secret. Then write "env": {"VARIABLE": {"config": "NAME"}}',
          ),
        ]
      : []),
  ];
};

export const schemaFindings = (name: string, text: string | undefined): readonly Finding[] => {
  if (text === undefined)
    return [finding('schema', 'error', `the file ${name} does not exist`, 'correct "message_schema"')];
  const problem = jsonProblem(text);
  if (problem !== undefined) return [finding('schema', 'error', `${name}:${problem}`)];
  const value: unknown = JSON.parse(withoutMark(text));
  const shaped = typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
  return [
    shaped
      ? finding('schema', 'ok', `${name} is valid JSON`)
      : finding('schema', 'error', `${name} is not a JSON Schema: it must be an object`),
  ];
};
