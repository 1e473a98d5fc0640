// `doctor`: checks everything that actorctl needs, and says what fixes it.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { DaemonState } from '../../local/daemon/locator.ts';
import { tail } from '../../local/log-file.ts';
import { createSecretFile } from '../../local/user-files.ts';
import { plural } from '../../ui/text.ts';
import { dataFolder } from '../data/data-folder.ts';
import { action } from '../framework/command.ts';
import { text } from '../framework/option.ts';
import { checkEngine } from './engine-check.ts';
import type { Finding } from './finding.ts';
import { checkContexts, checkKeychain, checkToken } from './login-checks.ts';
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
import { redact } from './redact.ts';

/** Lines of the daemon's log in a report. */
const LOG_LINES = 200;

/** A state folder that another user could have filled is a finding, not the end of the examination. */
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
    ...checkFolders(context, dataDir),
    checkRecords(data, served !== undefined),
    await checkKeychain(context),
    checkBrowser(context),
    checkClock(now(), data),
    await checkContexts(context),
    await checkToken(context, status !== undefined),
    checkCompletion(context),
  ];
};

const lineOf = ({ name, level, text, fix }: Finding): string =>
  `${level.padEnd(8)} ${name.padEnd(14)} ${text}${fix === null ? '' : `\n${' '.repeat(24)}fix: ${fix}`}`;

/** Writes a report for a bug tracker. */
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
  operations: [],
  options: { report: text('--report <file>', 'write a report for a bug tracker, without secrets') },
  details:
    'Checks node, daemon, container engine, port, folders, records, keychain, browser, clock, contexts, token and completion. Changes no data. Exits with 1 if there is an error; warnings are none.',
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
