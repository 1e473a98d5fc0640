// Plans the changes that apply makes to a config of a project.
import { isDeepStrictEqual } from 'node:util';
import { parseExact } from '../../../contract/exact-json.ts';
import { usage } from '../../../failure.ts';
import { actorsOf } from '../../configs/configs-view.ts';
import type { CurrentConfig, CurrentState } from './current-state.ts';
import type { DesiredConfig, Thing } from './desired-state.ts';
import { textOf } from './plan-actor.ts';
import { planGrants } from './plan-grants.ts';
import type { Change, Step, Task } from './tasks.ts';

/** True if two JSON texts have the same value, with the same spelling of numbers. */
const sameJson = (one: string, other: string): boolean =>
  one === other || isDeepStrictEqual(parseExact(one), parseExact(other));

const LONGEST = 60;
const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** `secret 1f0c2a9b`: the beginning of the digest, which distinguishes two secrets. */
const formatSecret = (digest: string | undefined): string =>
  `secret ${digest === undefined ? '(unknown)' : digest.slice(0, 8)}`;

/** The change of the value, or undefined if it is unchanged. A secret is shown as a digest. */
const valueChange = (
  { name, value, at }: DesiredConfig,
  found: CurrentConfig | undefined,
  { record, digests }: CurrentState,
): Change | undefined => {
  if (value === 'keep') {
    if (found?.config.is_secret === true) return undefined;
    throw usage(
      `${at}: there is no secret config named "${name}" whose value could be kept`,
      'add the source of its value: secret: env:NAME or secret: file:PATH',
    );
  }
  const after = value.secret ? formatSecret(digests.get(name)) : cut(value.text);
  if (found === undefined) return { field: 'value', after };
  const { is_secret: wasSecret } = found.config;
  if (wasSecret && value.secret && found.sameSecret === true) return undefined;
  if (!wasSecret && !value.secret && sameJson(value.text, found.valueText)) return undefined;
  const known = record.configs[name];
  const digest = known?.revision === found.config.revision ? known.digest : undefined;
  return { field: 'value', before: wasSecret ? formatSecret(digest) : cut(found.valueText), after };
};

/** Compares a config with the file. The file lists all actors with which the config is shared. */
export const planConfig = (wanted: DesiredConfig, present: CurrentState): Step => {
  const { name, value, actors, permissions } = wanted;
  const thing: Thing = { kind: 'config', name };
  const found = present.configs.get(name);
  const recorded = present.record.configs[name];
  const changed = valueChange(wanted, found, present);
  const has = found === undefined ? [] : actorsOf(found.config);
  const wants = actors.map((target) => textOf(target, present));
  // Two targets may be the same actor, which the service lists once.
  const sameActors =
    new Set(wants).size === has.length && wants.every((each) => each !== undefined && has.includes(each));
  const words = (each: readonly string[]): string => each.join(', ') || '-';
  const actorChange: Change = {
    field: 'actors',
    ...(found !== undefined && { before: words(has.map((each) => present.names.get(each) ?? each)) }),
    after: words(
      actors.map((target) =>
        target.kind === 'outside' ? (present.names.get(target.name) ?? target.name) : target.name,
      ),
    ),
  };
  const grants = planGrants(
    thing,
    permissions,
    recorded?.users ?? [],
    found?.permissions ?? {},
    found?.config.owner ?? present.user,
  );
  const isSame = found !== undefined && changed === undefined && sameActors;
  const write: readonly Task[] = isSame
    ? []
    : [
        {
          do: 'write-config',
          name,
          ...(found !== undefined && { revision: found.config.revision }),
          secret: value === 'keep' || value.secret,
          // A secret with an unchanged value is sent back encrypted.
          text:
            value === 'keep' || (changed === undefined && found !== undefined)
              ? (found?.valueText ?? 'null')
              : value.text,
          actors,
        },
      ];
  const tasks = [...write, ...grants.tasks];
  const kept = recorded?.revision === found?.config.revision ? recorded?.digest : undefined;
  const digest = value === 'keep' ? kept : value.secret ? present.digests.get(name) : undefined;
  return {
    ...thing,
    action: found === undefined ? 'create' : tasks.length > 0 ? 'update' : 'unchanged',
    changes: [
      ...(changed === undefined ? [] : [changed]),
      ...(sameActors || (found === undefined && actors.length === 0) ? [] : [actorChange]),
      ...grants.changes,
    ],
    tasks,
    recorded: {
      config: {
        users: grants.users,
        ...(digest !== undefined && { digest }),
        ...(found !== undefined && { revision: found.config.revision }),
      },
    },
  };
};
