// `doctor`: checks everything that actorctl needs, and prints a fix for each problem.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf } from '../../failure.ts';
import { readContexts } from '../../local/contexts.ts';
import type { DaemonState } from '../../local/daemon/locator.ts';
import { formatBroken } from '../../local/daemon/service.ts';
import { leftInstances } from '../../local/daemon/starter.ts';
import { isBlank } from '../../local/json-file.ts';
import { tail } from '../../local/log-file.ts';
import { shellWord } from '../../local/single-quoted.ts';
import { readSmallFile } from '../../local/small-file.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { dataFolder } from '../data/data-folder.ts';
import { action } from '../framework/command.ts';
import { text } from '../framework/option.ts';
import { checkEngine } from './engine-check.ts';
import { type Finding, failed, ok, warning } from './finding.ts';
import {
  checkBrowser,
  checkClock,
  checkCompletion,
  checkDaemon,
  checkedData,
  checkFolders,
  checkNode,
  checkPort,
  checkRecords,
} from './machine-checks.ts';

const RULES: readonly (readonly [RegExp, string])[] = [
  // Credentials in URLs, and values of query parameters.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, '$1***@'],
  [/([?&][\w.-]+=)[^\s&"']+/g, '$1***'],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 ***'],
  // In the text of a request, the value of a secret header, up to the end of the line.
  [/\b((?:set-)?cookie|(?:proxy-)?authorization):[^"\n]*/gi, '$1: ***'],
  // Fields with secret names, even in JSON that is a string inside JSON.
  [
    /(\\*"?[\w.-]*(?:token|secret|password|passwd|passphrase|nonce|cookie|authorization|credential|(?:api|private|access)[_-]?key)[\w.-]*\\*"?\s*[:=]\s*)(\\+"(?:(?!\\+").)*\\+"|"(?:[^"\\]|\\.)*"|[^\s,}\]]+)/gi,
    '$1"***"',
  ],
  [/\bsealed:v1:[\w:-]+/g, 'sealed:***'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***'],
  // Any text long enough to be a random secret. Ids of 13 characters are not removed.
  [/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{22,}\b/g, '***'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, '***@***'],
];

/** The text without secrets, mail addresses, and the home folder and name of the user. */
export const redact = (text: string, { home, user }: { readonly home: string; readonly user: string }): string => {
  const known = home.length > 1 ? text.replaceAll(home, '~') : text;
  const hidden = RULES.reduce((result, [pattern, by]) => result.replace(pattern, by), known);
  return user.length > 2 ? hidden.replaceAll(user, 'USER') : hidden;
};

const checkKeychain = async ({ credentials, settings, paths }: CommandContext): Promise<Finding> => {
  try {
    const found = await credentials.read(settings.account);
    if (found === undefined) return ok('keychain', 'no login is stored');
    return ok(
      'keychain',
      found.store === 'file' ? `logins are in ${paths.credentialsFile}` : 'logins are in the keychain',
    );
  } catch (error) {
    return failed(
      'keychain',
      messageOf(error),
      'unlock the keychain, or store logins in a file: actorctl login --store file',
    );
  }
};

/** Files that a power failure left blank. They count as absent. */
const checkBlankFiles = ({ paths }: CommandContext): readonly Finding[] =>
  [paths.settingsFile, paths.contextsFile, paths.credentialsFile, paths.daemonFile, paths.launchFile]
    .filter((file) => {
      try {
        const found = readSmallFile(file, { followLinks: true });
        return found.kind === 'read' && isBlank(found.text);
      } catch {
        // Another check reports a file that cannot be read.
        return false;
      }
    })
    .map((file) => warning('files', `${file} is blank and counts as absent`, `rm ${shellWord(file)}`));

const checkContexts = async ({ paths, settings }: CommandContext): Promise<Finding> => {
  try {
    const { contexts } = await readContexts(paths.contextsFile);
    return ok('contexts', `${plural(Object.keys(contexts).length + 1, 'context')}, ${settings.context} is current`);
  } catch (error) {
    const hint = error instanceof CliFailure ? error.extras.hint : undefined;
    return failed('contexts', messageOf(error), hint ?? `mv ${paths.contextsFile} ${paths.contextsFile}.old`);
  }
};

const checkToken = async (context: CommandContext, isRunning: boolean): Promise<Finding> => {
  const { session, settings, serviceClock, call } = context;
  try {
    const identity = await session.identity();
    if (identity === undefined) return warning('token', `not logged in to ${settings.context}`, 'actorctl login');
    const { username, source, expiresAt, refreshable } = identity;
    const who = `${username ?? 'unknown user'} via ${source}`;
    if (expiresAt !== null && expiresAt <= (await serviceClock.ask()) && !refreshable)
      return warning('token', `of ${who} has expired`, 'actorctl login');
    if (settings.baseUrl === undefined && !isRunning) return ok('token', `of ${who}; no daemon to check it`);
    await call('profiles.me');
    // The call may have renewed the token.
    const end = (await session.identity())?.expiresAt ?? null;
    const left = end === null ? '' : `, ${formatDuration(Math.max(0, end - serviceClock.now()))} left`;
    return ok('token', `of ${who} is accepted${left}`);
  } catch (error) {
    const hint = error instanceof CliFailure ? error.extras.hint : undefined;
    return failed('token', messageOf(error), hint ?? 'actorctl login');
  }
};

const checkService = async ({ service }: CommandContext): Promise<Finding> => {
  const { name, installed, broken } = await (await service()).state();
  if (broken !== null) return failed('service', formatBroken(name, broken), broken.fix);
  return ok('service', installed ? `${name} is installed` : 'is not installed');
};

/** Lines of the daemon's log in a report. */
const LOG_LINES = 200;

/** A state folder that another user could have written to is reported as a finding, not as an error of `doctor`. */
const untrusted = (error: unknown): DaemonState => {
  if (error instanceof CliFailure && error.code === 'USAGE') return { state: 'unhealthy', reason: error.message };
  throw error;
};

const examine = async (context: CommandContext): Promise<readonly Finding[]> => {
  const { local, now, version } = context;
  const found = await (await local()).locate().catch(untrusted);
  const status = found.state === 'running' ? found.status : undefined;
  // A stopping daemon still holds its port and may write a checkpoint.
  const served = 'status' in found ? found.status : undefined;
  const dataDir = await dataFolder(context).catch(() => context.paths.dataDir);
  const data = await checkedData(async () => (await local()).checkData(dataDir), served !== undefined);
  return [
    checkNode(process.version),
    checkDaemon(found, version),
    ...(await checkEngine(context, status)),
    await checkPort(context, served),
    await checkService(context),
    ...leftInstances(context.paths).map(({ text, fix }) => warning('instances', text, fix)),
    ...checkFolders(context, dataDir),
    checkRecords(data, served !== undefined),
    await checkKeychain(context),
    checkBrowser(context),
    checkClock(now(), data),
    ...checkBlankFiles(context),
    await checkContexts(context),
    await checkToken(context, status !== undefined),
    checkCompletion(context),
  ];
};

const lineOf = ({ name, level, text, fix }: Finding): string =>
  `${level.padEnd(8)} ${name.padEnd(14)} ${text}${fix === null ? '' : `\n${' '.repeat(24)}fix: ${fix}`}`;

const writeReport = async (context: CommandContext, file: string, lines: readonly string[]): Promise<void> => {
  const { cwd, user, paths, version, now } = context;
  const log = await tail(paths.daemonLog, LOG_LINES);
  const errors = await tail(paths.daemonErrors, LOG_LINES);
  const variables = Object.keys(user.env).filter((name) => /^(ACTORCTL|DOCKER)_/.test(name));
  const whole = [
    `actorctl ${version}, node ${process.version}, ${process.platform} ${process.arch}, ${new Date(now()).toISOString()}`,
    `variables that are set: ${variables.join(' ') || 'none'}`,
    '',
    ...lines,
    '',
    `last lines of the daemon's log:`,
    ...log,
    ...(errors.length > 0 ? ['', `output of the daemon's process:`, ...errors] : []),
    '',
  ].join('\n');
  const names = { home: user.home, user: user.env['USER'] ?? '' };
  await createSecretFile(file, cwd, async () => ({ text: redact(whole, names), value: undefined }));
};

export const doctorCommand = action({
  operations: ['daemon.reach'],
  options: { report: text('--report <file>', 'write a report for a bug tracker, without secrets', 'files') },
  details:
    'Checks node, daemon, container engine, port, service, folders, records, keychain, browser, clock, contexts, token and completion. Changes no data. On an engine that the daemon uses, it starts one short container. Exit code 1 if there is an error. Warnings are not errors.',
  examples: ['actorctl doctor', 'actorctl doctor --report report.txt'],
  run: async (context, _args, { report }) => {
    const { output } = context;
    const progress = await output.progress('Checking');
    let findings: readonly Finding[];
    try {
      findings = (await examine(context)).map((finding) => ({
        ...finding,
        text: output.sameTarget(finding.text),
        fix: finding.fix === null ? null : output.sameTarget(finding.fix),
      }));
    } finally {
      progress.stop();
    }
    const lines = findings.map(lineOf);
    const errors = findings.filter(({ level }) => level === 'error').length;
    const warnings = findings.filter(({ level }) => level === 'warning').length;
    const sum = `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`;
    if (report !== undefined) await writeReport(context, report, [...lines, sum]);
    output.report([...lines, sum].join('\n'), {
      ok: errors === 0,
      errors,
      warnings,
      checks: findings,
      report: report ?? null,
    });
    if (report !== undefined) output.note(`wrote ${report}: read it before you send it`);
    return errors === 0 ? 0 : 1;
  },
});
