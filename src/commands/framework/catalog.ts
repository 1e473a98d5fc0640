// Names, aliases and summaries of the top-level commands, whose modules load on demand, and their groups in the help.
// Over 250 lines, because they are tables.
import type { Entry } from './command.ts';

/** The top-level commands. `inHelpOrder` has the order of `actorctl --help`. */
export const catalog: readonly Entry[] = [
  {
    name: 'up',
    aliases: [],
    summary: 'Start the local daemon',
    load: async () => (await import('../daemon/up.ts')).upCommand,
  },
  {
    name: 'down',
    aliases: [],
    summary: 'Stop the local daemon',
    load: async () => (await import('../daemon/down.ts')).downCommand,
  },
  {
    name: 'status',
    aliases: [],
    summary: 'Show the state of the daemon or of the service in use',
    load: async () => (await import('../daemon/status.ts')).statusCommand,
  },
  {
    name: 'doctor',
    aliases: [],
    summary: 'Check what actorctl needs and print how to fix it',
    load: async () => (await import('../doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'daemon',
    aliases: [],
    summary: 'Manage the local daemon',
    load: async () => (await import('../daemon/daemon.ts')).daemonCommands,
  },
  {
    name: 'tls',
    aliases: [],
    summary: 'Trust the certificate of the https listener',
    load: async () => (await import('../daemon/tls.ts')).tlsCommands,
  },
  {
    name: 'snapshot',
    aliases: ['snapshots'],
    summary: 'Save all data of the instance and restore them',
    load: async () => (await import('../data/snapshot.ts')).snapshotCommands,
  },
  {
    name: 'backup',
    aliases: [],
    summary: 'Write all data of the instance to a file',
    load: async () => (await import('../data/backup.ts')).backupCommand,
  },
  {
    name: 'clock',
    aliases: [],
    summary: 'Show and move the virtual clock of an instance',
    load: async () => (await import('../daemon/clock.ts')).clockCommands,
  },
  {
    name: 'reset',
    aliases: [],
    summary: 'Empty the instance, after a snapshot',
    load: async () => (await import('../data/reset.ts')).resetCommand,
  },
  {
    name: 'exec',
    aliases: [],
    summary: 'Run a command with a temporary instance',
    failureExit: 125,
    load: async () => (await import('../temporary/exec.ts')).execCommand,
  },
  {
    name: 'init',
    aliases: [],
    summary: 'Create a project of two linked actors, with a test',
    load: async () => (await import('../project/init.ts')).initCommand,
  },
  {
    name: 'test',
    aliases: [],
    summary: 'Run the tests of a project',
    load: async () => (await import('../testing/test.ts')).testCommand,
  },
  {
    name: 'prune',
    aliases: [],
    summary: 'Delete old executions, events and unused images',
    load: async () => (await import('../data/prune.ts')).pruneCommand,
  },
  {
    name: 'login',
    aliases: [],
    summary: 'Log in and store the token',
    load: async () => (await import('../login/login.ts')).loginCommand,
  },
  {
    name: 'logout',
    aliases: [],
    summary: 'Log out of the service and delete the stored tokens',
    load: async () => (await import('../login/logout.ts')).logoutCommand,
  },
  {
    name: 'whoami',
    aliases: [],
    summary: 'Show the identity and credential of the next request',
    load: async () => (await import('../login/whoami.ts')).whoamiCommand,
  },
  {
    name: 'auth',
    aliases: [],
    summary: 'Manage logins and tokens, and run OAuth flows by hand',
    load: async () => (await import('../login/auth.ts')).authCommand,
  },
  {
    name: 'context',
    aliases: ['contexts'],
    summary: 'Manage contexts (named services to connect to)',
    load: async () => (await import('../contexts/contexts.ts')).contextCommand,
  },
  {
    name: 'settings',
    aliases: ['setting'],
    summary: 'Manage the settings of actorctl',
    load: async () => (await import('../contexts/settings.ts')).settingsCommand,
  },
  {
    name: 'env',
    aliases: [],
    summary: 'Print environment variables for other programs',
    load: async () => (await import('../tools/env.ts')).envCommand,
  },
  {
    name: 'actors',
    aliases: ['actor'],
    summary: 'Manage actors',
    load: async () => (await import('../actors/actors.ts')).actorsCommand,
  },
  {
    name: 'apply',
    aliases: [],
    summary: 'Apply a project file to the service',
    load: async () => (await import('../project/apply.ts')).applyCommand,
  },
  {
    name: 'diff',
    aliases: [],
    summary: 'Show what apply would change',
    load: async () => (await import('../project/apply.ts')).diffCommand,
  },
  {
    name: 'export',
    aliases: [],
    summary: 'Write a project file from existing actors and configs',
    load: async () => (await import('../project/export.ts')).exportCommand,
  },
  {
    name: 'project',
    aliases: ['projects'],
    summary: 'Delete everything that belongs to a project',
    load: async () => (await import('../project/delete.ts')).projectCommands,
  },
  {
    name: 'dev',
    aliases: [],
    summary: 'Run a project and apply it again on every change',
    load: async () => (await import('../project/dev.ts')).devCommand,
  },
  {
    name: 'send',
    aliases: [],
    summary: 'Send a message to an actor and print the execution id',
    load: async () => (await import('../executions/send.ts')).sendCommand,
  },
  {
    name: 'run',
    aliases: [],
    summary: 'Send a message to an actor and wait for the result',
    load: async () => (await import('../executions/run.ts')).runCommand,
  },
  {
    name: 'logs',
    aliases: [],
    summary: 'Show the logs of executions',
    load: async () => (await import('../executions/logs/logs.ts')).logsCommand,
  },
  {
    name: 'executions',
    aliases: ['execution', 'execs'],
    summary: 'Manage the executions of actors',
    load: async () => (await import('../executions/executions.ts')).executionsCommand,
  },
  {
    name: 'why',
    aliases: [],
    summary: 'Show the cause and the effects of an execution',
    load: async () => (await import('../events/why.ts')).whyCommand,
  },
  {
    name: 'messages',
    aliases: ['message'],
    summary: 'Manage the messages waiting for an actor',
    load: async () => (await import('../executions/messages.ts')).messagesCommand,
  },
  {
    name: 'state',
    aliases: ['states'],
    summary: 'Manage the state of a stateful actor',
    load: async () => (await import('../state/state.ts')).stateCommand,
  },
  {
    name: 'cron',
    aliases: [],
    summary: 'Manage the schedules of actors',
    load: async () => (await import('../actors/cron.ts')).cronCommand,
  },
  {
    name: 'events',
    aliases: ['event'],
    summary: 'Show the events of actors, stored and live',
    load: async () => (await import('../events/events.ts')).eventsCommand,
  },
  {
    name: 'links',
    aliases: ['link'],
    summary: 'Manage links that send events from actor to actor',
    load: async () => (await import('../events/links.ts')).linksCommand,
  },
  {
    name: 'webhooks',
    aliases: ['webhook'],
    summary: 'Manage webhooks that receive the events of actors',
    load: async () => (await import('../events/webhooks.ts')).webhooksCommand,
  },
  {
    name: 'workers',
    aliases: ['worker'],
    summary: 'Manage the workers of an actor',
    load: async () => (await import('../executions/workers.ts')).workersCommand,
  },
  {
    name: 'aliases',
    aliases: ['alias'],
    summary: 'Manage aliases of actors',
    load: async () => (await import('../sharing/aliases.ts')).aliasesCommand,
  },
  {
    name: 'permissions',
    aliases: ['permission', 'perms'],
    summary: 'Manage permissions on actors, aliases and configs',
    load: async () => (await import('../sharing/permissions.ts')).permissionsCommand,
  },
  {
    name: 'nonces',
    aliases: ['nonce'],
    summary: 'Manage nonces, which grant calls without a login',
    load: async () => (await import('../sharing/nonces.ts')).noncesCommand,
  },
  {
    name: 'configs',
    aliases: [],
    summary: 'Manage configs shared with actors',
    load: async () => (await import('../configs/configs.ts')).configsCommand,
  },
  {
    name: 'search',
    aliases: [],
    summary: 'Search actors, executions, workers or logs',
    load: async () => (await import('../tools/search.ts')).searchCommand,
  },
  {
    name: 'activity',
    aliases: [],
    summary: 'Show running, waiting and failed executions',
    load: async () => (await import('../people/activity.ts')).activityCommand,
  },
  {
    name: 'utilization',
    aliases: [],
    summary: 'Show the number of actors and workers',
    load: async () => (await import('../people/utilization.ts')).utilizationCommand,
  },
  {
    name: 'admin',
    aliases: [],
    summary: 'Show all data of the tenant (admins only)',
    load: async () => (await import('../people/admin.ts')).adminCommand,
  },
  {
    name: 'clients',
    aliases: ['client'],
    summary: 'Manage OAuth clients',
    load: async () => (await import('../people/clients.ts')).clientsCommand,
  },
  {
    name: 'users',
    aliases: ['user'],
    summary: 'Manage local users (admins only)',
    load: async () => (await import('../people/users.ts')).usersCommand,
  },
  {
    name: 'profiles',
    aliases: ['profile'],
    summary: 'Show the users of your tenant',
    load: async () => (await import('../people/profiles.ts')).profilesCommand,
  },
  {
    name: 'tenants',
    aliases: ['tenant'],
    summary: 'Manage tenants',
    load: async () => (await import('../people/tenants.ts')).tenantsCommand,
  },
  {
    name: 'api',
    aliases: [],
    summary: 'Send any request to the service',
    load: async () => (await import('../tools/api.ts')).apiCommand,
  },
  {
    name: 'docs',
    aliases: [],
    summary: 'Print a page of the documentation',
    load: async () => (await import('../tools/docs.ts')).docsCommand,
  },
  {
    name: 'open',
    aliases: [],
    summary: 'Open the dashboard in a browser, logged in',
    load: async () => (await import('../daemon/open.ts')).openCommand,
  },
  {
    name: 'completion',
    aliases: [],
    summary: 'Print or install a shell completion script',
    load: async () => (await import('../completion/completion.ts')).completionCommands,
  },
  {
    name: 'version',
    aliases: [],
    summary: 'Show the versions of actorctl and of the daemon',
    load: async () => (await import('../tools/version.ts')).versionCommand,
  },
];

export const entryOf = (word: string | undefined): Entry | undefined =>
  catalog.find(({ name, aliases }) => name === word || (word !== undefined && aliases.includes(word)));

/** The groups in which `actorctl --help` lists commands. Those that no group names are in the last one. */
export const helpGroups: readonly { readonly title: string; readonly commands: readonly string[] }[] = [
  { title: 'Start here', commands: ['up', 'init', 'run', 'logs', 'open'] },
  {
    title: 'Actors',
    commands: ['actors', 'send', 'executions', 'why', 'messages', 'state', 'cron', 'workers', 'activity', 'search'],
  },
  { title: 'Connect', commands: ['links', 'webhooks', 'events', 'aliases'] },
  {
    title: 'People and access',
    commands: ['login', 'logout', 'whoami', 'auth', 'users', 'permissions', 'nonces', 'clients', 'profiles', 'tenants'],
  },
  { title: 'Project and test', commands: ['apply', 'diff', 'dev', 'exec', 'test', 'export', 'project'] },
  { title: 'Data', commands: ['configs', 'snapshot', 'backup', 'reset', 'prune'] },
  { title: 'Daemon', commands: ['down', 'status', 'doctor', 'daemon', 'clock', 'tls'] },
  { title: 'Other commands', commands: [] },
];

const placeOf = (name: string): readonly [group: number, inGroup: number] => {
  const group = helpGroups.findIndex(({ commands }) => commands.includes(name));
  return group < 0 ? [helpGroups.length - 1, 0] : [group, helpGroups[group]?.commands.indexOf(name) ?? 0];
};

export const groupOf = (name: string): string => helpGroups[placeOf(name)[0]]?.title ?? '';

/** Sorts commands in the order of the help. Commands of the last group stay in their order. */
export const inHelpOrder = <T extends { readonly name: string }>(commands: readonly T[]): readonly T[] =>
  commands.toSorted((one, other) => {
    const [[group, place], [otherGroup, otherPlace]] = [placeOf(one.name), placeOf(other.name)];
    return group - otherGroup || place - otherPlace;
  });
