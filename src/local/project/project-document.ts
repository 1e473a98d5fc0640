// The fields of an actor in actorctl.json, and of a whole project in actorctl.yaml.
// @see docs/projects.md#the-project-file
import * as z from 'zod/mini';
import { dialects } from '../../contract/dialect.ts';
import { levels } from '../../contract/operation.ts';
import { tests, testsDocument } from './test-document.ts';

const texts = z.record(z.string(), z.string());
const named = z.string().check(z.minLength(1));

/** The value of a variable: a text, or a config that is read at each start. */
const variable = z.union([
  z.string(),
  z.strictObject({
    config: named.check(z.describe('Name of the config')),
    path: z.optional(z.string().check(z.describe('Member of its value: db.password'))),
  }),
]);

/** A text field with a sentence for editors. */
const text = (about: string) => z.optional(z.string().check(z.describe(about)));
const yes = (about: string) => z.optional(z.boolean().check(z.describe(about)));
const list = (about: string) => z.optional(z.array(z.string()).check(z.describe(about)));
const whole = (least: number, about: string) => z.optional(z.int().check(z.minimum(least), z.describe(about)));

const permissions = z.optional(
  z.record(z.string(), z.enum(levels)).check(z.describe('Level of each user; ABACO_WORLD is every user')),
);

const schedule = z.strictObject({
  schedule: z.string().check(z.describe('"0 9 * * mon-fri", @hourly, or "now + 1 day"')),
  time_zone: text('IANA name of a time zone (default: UTC)'),
  message: text('Message of each scheduled run'),
  on: yes('false: the schedule is stored but does not run'),
});

const actorFields = {
  name: z.optional(named.check(z.describe('Name of the actor (default: its name in the file)'))),
  alias: text('Alias that points to the actor'),
  image: z.optional(named.check(z.describe('Container image, or a folder of a process actor: file:. or ./folder'))),
  description: text('Description'),
  build: z.optional(
    z
      .strictObject({
        context: text('Folder to build (default: this folder)'),
        dockerfile: text('Dockerfile in the context (default: Dockerfile)'),
        args: z.optional(texts),
        platform: text('Platform, like linux/amd64'),
        target: text('Stage of the Dockerfile'),
      })
      .check(z.describe('How the image is built by the local engine')),
  ),
  stateless: yes('false: one execution at a time, with a state. Cannot be changed later'),
  dialect: z.optional(
    z.enum(dialects).check(z.describe('legacy: a program of the hosted platform. Cannot be changed later')),
  ),
  state: z.optional(
    z
      .record(z.string(), z.unknown())
      .check(z.describe('Initial state of a new stateful actor. An existing actor keeps its state')),
  ),
  show_secrets: yes('Show secret configs in logs'),
  token: yes('Let executions act as the owner, with a token'),
  hints: list('Tags'),
  type: text('Recorded, without effect'),
  memory: text('Memory limit: 512m, 1g; -1 for none. Needs the role privileged'),
  cpus: z.optional(z.number().check(z.positive(), z.maximum(9_999), z.describe('Number of processors: 2, 0.5'))),
  placement: list('Constraints on the node of a Swarm'),
  time_limit: whole(1, 'Longest run of one execution, in seconds'),
  workers: whole(1, 'Maximum number of concurrent executions'),
  log_expiry: whole(0, 'Log retention period, in seconds'),
  privileged: yes('Run with full privileges. Needs the role privileged'),
  use_container_uid: yes('Recorded, without effect'),
  queue: z.optional(z.enum(['default', 'special'])),
  env: z.optional(
    z
      .record(z.string(), variable)
      .check(z.describe('Variables of every execution: a text, which is stored unencrypted, or a config')),
  ),
  env_file: text('File with NAME=VALUE lines'),
  sender_variables: list('Variables that any sender may set: NAME, PREFIX_*'),
  configs: list('Configs that are shared with the actor'),
  link: text('Actor or alias that receives its events'),
  webhook: text('URL that receives its events'),
  cron: z.optional(z.union([z.string(), schedule])),
  permissions,
  message_schema: text('JSON schema of messages, for actors check'),
};

export const projectDocument = z.strictObject({
  $schema: z.optional(z.string()),
  ...actorFields,
  context: text('Context that commands in this folder use'),
  instance: text('Local instance that commands in this folder use'),
});

export type ProjectDocument = z.output<typeof projectDocument>;

/** An actor of a project: its fields, or the folder that has them. */
const actorEntry = z.union([named, z.strictObject(actorFields)]);

const aliasEntry = z.union([named, z.strictObject({ actor: named, permissions })]);

/** A config of a project: one of `value`, `json` and `secret`. */
const configEntry = z.strictObject({
  value: z.optional(z.unknown().check(z.describe('Any value'))),
  json: text('The value as JSON text, which is stored unchanged'),
  secret: z.optional(z.unknown().check(z.describe('env:NAME, file:PATH, an object with such texts, or keep'))),
  actors: list('Actors and aliases with which the config is shared'),
  permissions,
});

const project = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'must have letters, digits, "-" and "_" only, at most 63 of them'),
  );

export const projectName = z.object({ project });

export const wholeDocument = z.strictObject({
  $schema: z.optional(z.string()),
  project,
  actors: z.optional(z.record(named, actorEntry).check(z.describe('Actors, or the folders that have them'))),
  aliases: z.optional(z.record(named, aliasEntry).check(z.describe('Aliases and their actors'))),
  configs: z.optional(z.record(named, configEntry).check(z.describe('Values that are shared with actors'))),
  tests: z.optional(tests.check(z.describe('Tests that actorctl test runs'))),
});

export type WholeDocument = z.output<typeof wholeDocument>;

/** Schema of every project file. The JSON schema for editors is generated from it. */
export const anyDocument = z.union([wholeDocument, projectDocument, testsDocument]);
