// A property of export and apply: what is exported and applied again changes nothing, whatever the names and values are.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  CurrentActor,
  CurrentAlias,
  CurrentConfig,
  CurrentState,
} from '../../../src/commands/project/plan/current-state.ts';
import { exported } from '../../../src/commands/project/plan/exported.ts';
import { planApply } from '../../../src/commands/project/plan/plan.ts';
import { emptyRecord } from '../../../src/commands/project/plan/record.ts';
import { readWanted } from '../../../src/commands/project/read-desired-state.ts';
import { checkDocument } from '../../../src/local/project/project-check.ts';
import { wholeDocument } from '../../../src/local/project/project-document.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';
import { fillValues } from '../../../src/local/project/project-values.ts';
import type { Json } from '../../../src/ui/format/json.ts';
import { writeYaml } from '../../../src/ui/format/yaml.ts';

const OWNER = 'dev';

/** Texts that YAML, the references to variables and JavaScript could each read differently. */
const strange = fc.constantFrom(
  'no',
  '2026-01-01',
  '1.10',
  '~',
  '- a',
  'a: b',
  '#',
  '${A}',
  '$${A',
  'x\ty\n',
  '*a',
  '&a',
  '!!str',
  '012',
  'hasOwnProperty',
  '{',
  ' a ',
);
const word = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), strange);
const value = fc.oneof(
  word,
  fc.string({ maxLength: 20 }).filter((text) => !text.includes('\0')),
);
const level = fc.constantFrom('READ', 'EXECUTE', 'UPDATE', 'NONE');
const permissions = fc
  .dictionary(fc.constantFrom('ana', 'bob', 'ABACO_WORLD'), level, { maxKeys: 2 })
  .map((others) => ({ [OWNER]: 'UPDATE' as const, ...others }));

const actorParts = fc.record({
  name: word,
  description: value,
  environment: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,6}$/), value, { maxKeys: 3 }),
  hints: fc.array(word, { maxLength: 2 }),
  stateless: fc.boolean(),
  dialect: fc.constantFrom(undefined, 'legacy' as const),
  webhook: fc.constantFrom('', 'http://127.0.0.1:9/${x}'),
  workers: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  nanos: fc.option(fc.integer({ min: 1, max: 4_000_000_000 }), { nil: undefined }),
  cron: fc.option(
    fc.record({
      on: fc.boolean(),
      zone: fc.option(fc.constant('Europe/Rome'), { nil: undefined }),
      message: fc.option(value, { nil: undefined }),
    }),
    { nil: undefined },
  ),
  to: fc.nat(),
  permissions,
});

const world = fc.record({
  actors: fc.uniqueArray(actorParts, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
  aliases: fc.uniqueArray(
    fc.record({ alias: fc.stringMatching(/^[a-z][a-z0-9._-]{0,8}$/), to: fc.nat(), permissions }),
    { maxLength: 3, selector: ({ alias }) => alias },
  ),
  configs: fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      json: fc.json({ maxDepth: 3 }),
      secret: fc.boolean(),
      to: fc.array(fc.nat(), { maxLength: 2 }),
      permissions,
    }),
    { maxLength: 3, selector: ({ name }) => name },
  ),
});

const idOf = (index: number): string => `A${String(index).padStart(12, '0')}`;

const actorOf = (
  parts: typeof actorParts extends fc.Arbitrary<infer T> ? T : never,
  index: number,
  link: string,
): CurrentActor => ({
  mayUpdate: true,
  owner: OWNER,
  permissions: parts.permissions,
  actor: {
    id: idOf(index),
    name: parts.name,
    description: parts.description,
    image: 'busybox:1',
    owner: OWNER,
    status: 'READY',
    statusMessage: '',
    stateless: parts.stateless,
    ...(parts.dialect !== undefined && { dialect: parts.dialect }),
    default_environment: parts.environment,
    senderVariables: [],
    hints: parts.hints,
    type: 'none',
    link,
    webhook: parts.webhook,
    queue: 'default',
    token: false,
    tokenReach: 'none',
    privileged: false,
    useContainerUid: false,
    cronOn: parts.cron?.on ?? false,
    mounts: [],
    state: {},
    revision: 1,
    version: 1,
    ...(parts.workers !== undefined && { maxWorkers: parts.workers }),
    ...(parts.nanos !== undefined && { maxCpus: parts.nanos }),
    ...(parts.cron && {
      cronSchedule: '@daily',
      ...(parts.cron.zone !== undefined && { cronTimeZone: parts.cron.zone }),
      ...(parts.cron.message !== undefined && { cronMessage: parts.cron.message }),
    }),
    createTime: '2026-01-01T00:00:00.000Z',
    lastUpdateTime: '2026-01-01T00:00:00.000Z',
    _links: {},
  },
});

describe('export and apply', () => {
  it('of every kind of resource change nothing', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ actors, aliases, configs }) => {
        const last = actors.length - 1;
        const pointed = (to: number): string => idOf(to % actors.length);
        const presentAliases: CurrentAlias[] = aliases.map(({ alias, to, permissions: levels }) => ({
          mayUpdate: true,
          owner: OWNER,
          permissions: levels,
          alias: { alias, actorId: pointed(to), owner: OWNER, _links: {} },
        }));
        // An actor links to a later one or to the alias of a later one, so that no loop is created.
        const linkOf = (index: number, to: number): string => {
          if (index === last) return '';
          const target = index + 1 + (to % (last - index));
          const alias = presentAliases.find((each) => each.alias.actorId === idOf(target))?.alias.alias;
          return to % 2 === 0 && alias !== undefined ? alias : idOf(target);
        };
        const presentActors = actors.map((parts, index) => actorOf(parts, index, linkOf(index, parts.to)));
        const presentConfigs: CurrentConfig[] = configs.map(({ name, json, secret, to, permissions: levels }) => ({
          mayUpdate: true,
          owner: OWNER,
          permissions: levels,
          valueText: secret ? '"sealed:v1:x"' : json,
          config: {
            name,
            value: null,
            actors: [...new Set(to.map(pointed))].join(','),
            isSecret: secret,
            is_secret: secret,
            owner: OWNER,
            revision: 3,
            createTime: '2026-01-01T00:00:00.000Z',
            lastUpdateTime: '2026-01-01T00:00:00.000Z',
          },
        }));
        const document = exported({
          project: 'p',
          actors: presentActors,
          aliases: presentAliases,
          configs: presentConfigs,
          withState: true,
        });
        const text = parseProjectText('actorctl.yaml', writeYaml(document as Json));
        const file = { folder: '/nowhere', text, document: checkDocument(wholeDocument, text, fillValues(text, {})) };
        const { wanted } = await readWanted(
          { user: { env: {}, home: '/', platform: 'linux', loginShell: () => undefined } },
          file,
          {
            allowOutside: false,
          },
        );
        const present: CurrentState = {
          record: emptyRecord('salt'),
          actors: new Map(
            wanted.actors
              .map(({ key, name }) => [key, presentActors.find(({ actor }) => actor.name === name)] as const)
              .flatMap(([key, found]) => (found ? [[key, found] as const] : [])),
          ),
          aliases: new Map(presentAliases.map((each) => [each.alias.alias, each])),
          configs: new Map(presentConfigs.map((each) => [each.config.name, each])),
          user: OWNER,
          names: new Map(),
          digests: new Map(),
          shared: new Map(),
        };
        const { steps } = planApply(wanted, present, { prune: true, images: new Map() });
        expect(steps.filter(({ action }) => action !== 'unchanged')).toEqual([]);
        expect(steps).toHaveLength(actors.length + aliases.length + configs.length);
      }),
      { numRuns: 60 },
    );
  });
});
