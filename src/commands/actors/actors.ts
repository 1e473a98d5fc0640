// `actors`: names and summaries of its commands, whose modules load on demand.
import type { LeafEntry } from '../framework/command.ts';

export const actorsCommand: readonly LeafEntry[] = [
  {
    name: 'create',
    aliases: [],
    summary: 'Create an actor',
    load: async () => (await import('./actors-create.ts')).actorsCreate,
  },
  {
    name: 'list',
    aliases: ['ls'],
    summary: 'List the actors that you may read',
    load: async () => (await import('./actors-list.ts')).actorsList,
  },
  {
    name: 'show',
    aliases: ['get'],
    summary: 'Show an actor, its links and its latest executions',
    load: async () => (await import('./actors-show.ts')).actorsShow,
  },
  {
    name: 'logs',
    aliases: [],
    summary: 'Show the logs of actors',
    load: async () => (await import('../executions/logs/logs.ts')).logsCommand,
  },
  {
    name: 'update',
    aliases: [],
    summary: 'Change some fields of an actor and keep the rest',
    load: async () => (await import('./actors-create.ts')).actorsUpdate,
  },
  {
    name: 'delete',
    aliases: ['rm'],
    summary: 'Delete actors with their messages and logs',
    load: async () => (await import('./actors-delete.ts')).actorsDelete,
  },
  {
    name: 'init',
    aliases: [],
    summary: 'Create the folder of a new actor',
    load: async () => (await import('./actors-init.ts')).actorsInit,
  },
  {
    name: 'build',
    aliases: [],
    summary: 'Build the image of a folder',
    load: async () => (await import('./build-image.ts')).actorsBuild,
  },
  {
    name: 'deploy',
    aliases: [],
    summary: 'Build a folder and create or update its actor',
    load: async () => (await import('./actors-deploy.ts')).actorsDeploy,
  },
  {
    name: 'dev',
    aliases: [],
    summary: 'Build and run a folder again on every file change',
    load: async () => (await import('./actors-dev.ts')).actorsDev,
  },
  {
    name: 'check',
    aliases: [],
    summary: 'Check a folder, an image or an actor for problems',
    load: async () => (await import('./actors-check.ts')).actorsCheck,
  },
];
