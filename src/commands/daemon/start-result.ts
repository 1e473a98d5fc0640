// The result of `up`: for people, and for programs.
import type { CommandContext } from '../../context.ts';
import type { Started } from '../../local/daemon/instance-daemon.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { resultShownOnce } from '../framework/shown-once.ts';
import type { Bootstrapped } from './bootstrap.ts';
import { formatClock } from './clock-words.ts';

const actorsOf = ({ counts }: ManageStatus): number =>
  Object.values(counts.actors).reduce((sum, count) => sum + count, 0);

const sentenceOf = ({ ready, status }: Started, { user, password, generated }: Bootstrapped): string => {
  const where = status.actorBaseUrl === undefined ? '' : `  (actors reach it at ${status.actorBaseUrl})`;
  const count = actorsOf(status);
  return [
    `${ready ? 'Started the daemon' : 'The daemon is running'} (instance ${status.instance}, process ${status.pid})`,
    `  API      ${status.baseUrl}${where}`,
    `  Auth     ${status.authUrl}`,
    ...(status.legacy ? [`  Legacy   ${status.legacy.baseUrl}`] : []),
    ...status.engines.map(({ name, available, detail, endpoint = '' }) => {
      const what = available
        ? `${detail ?? 'available'}  ${endpoint}`.trimEnd()
        : `not available${detail === undefined ? '' : `: ${detail}`}`;
      return `  ${name.replace(/^./, (letter) => letter.toUpperCase()).padEnd(8)} ${what}`;
    }),
    ...(status.clock ? [`  Clock    ${formatClock(status.clock)}`] : []),
    `  Data     ${status.dataDir}  (schema ${status.schemaVersion}, ${count} ${count === 1 ? 'actor' : 'actors'})`,
    ...(user ? [`Created user "${user.username}"${user.tenant === null ? '' : ` of tenant ${user.tenant}`}`] : []),
    ...(user && generated && password !== undefined ? [`Generated password, shown only once: ${password}`] : []),
  ].join('\n');
};

const valueOfStart = ({ ready, status }: Started, made: Bootstrapped, loggedIn: boolean, showSecrets: boolean) => ({
  instance: status.instance,
  state: 'running',
  pid: status.pid,
  started: ready !== undefined,
  base_url: status.baseUrl,
  auth_url: status.authUrl,
  actor_base_url: status.actorBaseUrl ?? null,
  legacy_base_url: status.legacy?.baseUrl ?? null,
  engines: status.engines,
  data_dir: status.dataDir,
  schema_version: status.schemaVersion,
  virtual_time: status.clock === undefined ? null : new Date(status.clock.now).toISOString(),
  stale: ready?.stale ?? null,
  imported: ready?.replaced ?? null,
  bootstrap: made.user
    ? {
        user: made.user.username,
        tenant: made.user.tenant,
        client: made.client,
        ...(showSecrets && made.generated && made.password !== undefined && { password: made.password }),
      }
    : null,
  logged_in: loggedIn,
});

/** Prints the result of a start. @param login a sentence about the login; undefined if there is none */
export const showStart = (
  context: CommandContext,
  started: Started,
  made: Bootstrapped,
  { login, showSecrets }: { readonly login: string | undefined; readonly showSecrets: boolean },
): void => {
  resultShownOnce(context, {
    secret: made.generated ? made.password : undefined,
    what: `the generated password of "${made.user?.username}"`,
    hint:
      login === undefined
        ? 'only -o json --show-secrets shows it. To choose a password, set ACTORCTL_ADMIN_PASSWORD before the first start'
        : 'you stay logged in',
    sentence: [sentenceOf(started, made), ...(login === undefined ? [] : [login])].join('\n'),
    value: valueOfStart(started, made, login !== undefined, showSecrets),
    id: started.status.instance,
  });
};
