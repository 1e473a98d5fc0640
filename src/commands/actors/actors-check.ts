// `actors check`: inspects a folder, an image, an actor or the actors of a project, runs each once and reports problems.
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { CliFailure, usage } from '../../failure.ts';
import { SAMPLE } from '../../local/project/project.ts';
import { plural } from '../../ui/text.ts';
import { messageOf, type OutgoingMessage } from '../executions/message-input.ts';
import { limitFrom, type TimeLimit } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';
import { duration, flag, optional, text } from '../framework/option.ts';
import { withTimeout } from '../framework/time-limit.ts';
import { takeOverOption } from '../project/claim-image.ts';
import { readProjectFile } from '../project/project-file.ts';
import { readWanted } from '../project/read-desired-state.ts';
import { outsideOption } from './actor-flags.ts';
import { processOption } from './build-image.ts';
import { engineFindings, type Finding, imageFindings, trialFindings } from './check/check-rules.ts';
import { projectSubject, type Subject, subjectOf } from './check/subject.ts';

const TRIAL_MS = 30_000;

/** The value of the variable `_svc_Content_Type` in the test run. */
const contentTypes = { text: 'str', json: 'application/json', binary: 'application/octet-stream' } as const;

const attempt = async (
  context: CommandContext,
  { image, environment, stateful }: Subject,
  message: OutgoingMessage,
  {
    limit = limitFrom(context, TRIAL_MS),
    known,
  }: { readonly limit: TimeLimit | undefined; readonly known: readonly string[] },
): Promise<readonly Finding[]> => {
  const contentType = contentTypes[message.type];
  try {
    const timeoutMs = Math.max(1, limit.until - context.now());
    const report = await context.manage(
      'images.try',
      { image, environment, contentType, stateful, timeoutMs },
      { bytes: [message.bytes] },
    );
    const others = report.warnings.filter((text) => !known.includes(text));
    return [...engineFindings(others), ...trialFindings(report, limit.timeoutMs)];
  } catch (error) {
    if (!(error instanceof CliFailure) || !['ACTOR_ERROR', 'BUILD_FAILED', 'IMAGE_PULL_FAILED'].includes(error.code))
      throw error;
    return [{ id: 'run', level: 'error', message: error.message }];
  }
};

/** Inspects the image of a subject and, if `run` is set, runs it once. */
const findingsOf = async (
  context: CommandContext,
  subject: Subject,
  {
    given,
    run,
    limit,
  }: { readonly given: OutgoingMessage | undefined; readonly run: boolean; readonly limit: TimeLimit | undefined },
): Promise<readonly Finding[]> => {
  const sent = given ?? subject.sample ?? messageOf(Buffer.from('hello'));
  const isProcess = subject.image.startsWith('file:');
  const { image: report, warnings: lacks = [] } = isProcess
    ? {}
    : await context.manage('images.show', { image: subject.image });
  const fix = subject.isProject ? 'build it: actorctl actors build' : `docker pull ${subject.image}`;
  const missing: Finding = {
    id: 'image',
    level: 'warning',
    message: `the engine does not have image ${subject.image}`,
    fix,
  };
  return [
    ...subject.findings,
    ...(report === undefined && !isProcess ? [missing] : []),
    ...(report ? imageFindings(subject.image, report) : []),
    ...engineFindings(lacks),
    ...(run ? await attempt(context, subject, sent, { limit, known: lacks }) : []),
  ];
};

interface Checked {
  readonly image: string;
  readonly findings: readonly Finding[];
}

const isOk = ({ findings }: Checked): boolean => !findings.some(({ level }) => level === 'error');

const linesOf = ({ findings }: Checked): readonly string[] => {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const passed = findings.length - errors - warnings;
  return [
    ...findings.flatMap(({ id, level, message, fix }) => [
      `${level.padEnd(7)} ${id}: ${message}`,
      ...(fix === undefined ? [] : [`        fix: ${fix}`]),
    ]),
    `${passed} passed, ${plural(warnings, 'warning')}, ${plural(errors, 'error')}`,
  ];
};

export const actorsCheck = action({
  operations: ['images.show', 'images.build', 'images.try'],
  details:
    'Runs it once with a sample message. With --file it checks all actors of a project, with their build arguments. Exit code 1 if there are errors.',
  args: { target: optional('folder, image or actor (default: the current folder)', 'actor') },
  options: {
    file: text('-f, --file <path>', 'project file whose actors are all checked', 'files'),
    message: text('-m, --message <text>', `message for the test run (default: the file ${SAMPLE} in the folder)`),
    timeout: duration('--timeout <duration>', 'time limit of the command (default: 30s for each test run)'),
    build: flag('--no-build', 'do not build the image of the folder first'),
    run: flag('--no-run', 'inspect only, run nothing'),
    allowOutside: outsideOption,
    takeOver: takeOverOption,
    process: processOption,
  },
  examples: [
    'actorctl actors check',
    'actorctl actors check ./hello -m "{}"',
    'actorctl actors check wordcount',
    'actorctl actors check -f actorctl.yaml',
  ],
  run: async (context, { target }, { file, message, timeout, build, run, allowOutside, takeOver, process }) => {
    const { output } = context;
    if (timeout === 0) throw usage('--timeout must be longer than 0');
    if (target !== undefined && file !== undefined) throw usage('give a target or --file, not both');
    if (process && file !== undefined) throw usage('--process is for one folder, not for --file');
    const limit = timeout === undefined ? undefined : limitFrom(context, timeout);
    const given = message === undefined ? undefined : messageOf(Buffer.from(message));
    const asked = { build, sample: run && given === undefined, allowOutside, takeOver, process };
    const check = async (read: (within: CommandContext) => Promise<Subject>): Promise<Checked> => {
      const subject = await withTimeout(context, { timeout, goesOn: 'the actor was not run' }, read);
      return { image: subject.image, findings: await findingsOf(context, subject, { given, run, limit }) };
    };
    if (file === undefined) {
      const checked = await check((within) => subjectOf(within, target, asked));
      output.report(linesOf(checked).join('\n'), { ok: isOk(checked), ...checked });
      return isOk(checked) ? 0 : failureCodes.INTERNAL.exit;
    }
    const { sources } = await readWanted(context, await readProjectFile(context, file), { allowOutside });
    const all: (Checked & { readonly actor: string })[] = [];
    for (const [actor, project] of sources) {
      const checked = await check((within) => projectSubject(within, project, asked));
      all.push({ actor, ...checked });
    }
    const ok = all.every(isOk);
    const actors = all.map((checked) => ({ ok: isOk(checked), ...checked }));
    output.report(all.map((each) => [each.actor, ...linesOf(each)].join('\n')).join('\n\n'), { ok, actors });
    return ok ? 0 : failureCodes.INTERNAL.exit;
  },
});
