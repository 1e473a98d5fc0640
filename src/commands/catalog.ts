// The commands by name, each loaded only when it is the one that was asked for.
import type { Entry } from './command.ts';

/** In the order of the help. */
export const catalog: readonly Entry[] = [
  {
    name: 'up',
    aliases: [],
    summary: 'Starts the local daemon if it is not running.',
    load: async () => (await import('./up.ts')).upCommand,
  },
  {
    name: 'down',
    aliases: [],
    summary: 'Stops the local daemon.',
    load: async () => (await import('./down.ts')).downCommand,
  },
  {
    name: 'status',
    aliases: [],
    summary: 'Shows whether the local daemon runs and what it does.',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'daemon',
    aliases: [],
    summary: 'Runs and looks after the local daemon.',
    load: async () => (await import('./daemon.ts')).daemonCommands,
  },
  {
    name: 'login',
    aliases: [],
    summary: 'Logs in and keeps the token.',
    load: async () => (await import('./login.ts')).loginCommand,
  },
  {
    name: 'logout',
    aliases: [],
    summary: 'Ends the login, at the service and here.',
    load: async () => (await import('./logout.ts')).logoutCommand,
  },
  {
    name: 'whoami',
    aliases: [],
    summary: 'Shows who the next request would be, and by which credential.',
    load: async () => (await import('./whoami.ts')).whoamiCommand,
  },
  {
    name: 'auth',
    aliases: [],
    summary: 'Logins, tokens, and the OAuth protocol by hand.',
    load: async () => (await import('./auth.ts')).authCommand,
  },
  {
    name: 'context',
    aliases: ['contexts'],
    summary: 'Named services to talk to.',
    load: async () => (await import('./contexts.ts')).contextCommand,
  },
  {
    name: 'env',
    aliases: [],
    summary: 'Prints variables with which other programs reach the service.',
    load: async () => (await import('./env.ts')).envCommand,
  },
  {
    name: 'actors',
    aliases: ['actor'],
    summary: 'Actors: what answers messages.',
    load: async () => (await import('./actors.ts')).actorsCommand,
  },
  {
    name: 'send',
    aliases: [],
    summary: 'Sends a message to an actor and prints the id of its execution.',
    load: async () => (await import('./send.ts')).sendCommand,
  },
  {
    name: 'run',
    aliases: [],
    summary: 'Sends a message to an actor, shows the log and waits for the end.',
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'logs',
    aliases: [],
    summary: 'Shows what an execution, or the latest execution of an actor, wrote.',
    load: async () => (await import('./logs.ts')).logsCommand,
  },
  {
    name: 'executions',
    aliases: ['execution', 'execs'],
    summary: 'Runs of actors, one for each message.',
    load: async () => (await import('./executions.ts')).executionsCommand,
  },
  {
    name: 'messages',
    aliases: ['message'],
    summary: 'What waits in the mailbox of an actor.',
    load: async () => (await import('./messages.ts')).messagesCommand,
  },
  {
    name: 'state',
    aliases: ['states'],
    summary: 'What a stateful actor keeps from one execution to the next.',
    load: async () => (await import('./state.ts')).stateCommand,
  },
  {
    name: 'workers',
    aliases: ['worker'],
    summary: 'Slots in which the executions of an actor run.',
    load: async () => (await import('./workers.ts')).workersCommand,
  },
  {
    name: 'aliases',
    aliases: ['alias'],
    summary: 'Names for actors that can be pointed to another one.',
    load: async () => (await import('./aliases.ts')).aliasesCommand,
  },
  {
    name: 'permissions',
    aliases: ['permission', 'perms'],
    summary: 'Who may do what with an actor, an alias or a config.',
    load: async () => (await import('./permissions.ts')).permissionsCommand,
  },
  {
    name: 'nonces',
    aliases: ['nonce'],
    summary: 'Leave to use one actor or alias without a token.',
    load: async () => (await import('./nonces.ts')).noncesCommand,
  },
  {
    name: 'clients',
    aliases: ['client'],
    summary: 'OAuth clients.',
    load: async () => (await import('./clients.ts')).clientsCommand,
  },
  {
    name: 'users',
    aliases: ['user'],
    summary: 'The local user store; admins only.',
    load: async () => (await import('./users.ts')).usersCommand,
  },
  {
    name: 'profiles',
    aliases: ['profile'],
    summary: 'Who is in your tenant.',
    load: async () => (await import('./profiles.ts')).profilesCommand,
  },
  {
    name: 'tenants',
    aliases: ['tenant'],
    summary: 'Walls between users, clients and actors of one service.',
    load: async () => (await import('./tenants.ts')).tenantsCommand,
  },
  {
    name: 'api',
    aliases: [],
    summary: 'Makes any request to the service, authenticated; `api routes` lists what there is.',
    load: async () => (await import('./api.ts')).apiCommand,
  },
  {
    name: 'completion',
    aliases: [],
    summary: 'Prints the completion script of a shell.',
    load: async () => (await import('./completion.ts')).completionCommand(() => catalog),
  },
  {
    name: 'version',
    aliases: [],
    summary: 'Shows the versions of this program and of the daemon.',
    load: async () => (await import('./version.ts')).versionCommand,
  },
];
