// `permissions`: list, grant, revoke and can, for actors, aliases and configs.

import type { CommandContext } from '../../context.ts';
import { WORLD } from '../../contract/for-client.ts';
import { type Level, levels } from '../../contract/operation.ts';
import { CliFailure, usage } from '../../failure.ts';
import { OwnNames } from '../../ui/format/names.ts';
import { selectRows } from '../../ui/format/select.ts';
import type { View } from '../../ui/format/view.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { required, several } from '../framework/option.ts';
import { readPair } from '../framework/pairs.ts';
import { resolveTarget, type Target } from '../framework/resolve-target.ts';

type Permissions = Readonly<Record<string, Level>>;
type Asker = Pick<CommandContext, 'call'>;

/** Exit code of `can` if the user lacks the level. @see docs/cli.md#exit-codes */
const NO = 5;

const levelOf = (word: string): Level => {
  const level = levels.find((each) => each === word.toUpperCase());
  if (level === undefined) throw usage(`there is no level "${word}"`, `use ${levels.join(', ')}`);
  return level;
};

const permissionsOf = ({ call }: Asker, { kind, name }: Target): Promise<Permissions> => {
  switch (kind) {
    case 'actor':
      return call('permissions.list', { params: { actorId: name } });
    case 'alias':
      return call('alias-permissions.list', { params: { alias: name } });
    case 'config':
      return call('config-permissions.list', { params: { configName: name } });
  }
};

const give = ({ call }: Asker, { kind, name }: Target, user: string, level: Level): Promise<Permissions> => {
  const body = { user, level };
  switch (kind) {
    case 'actor':
      return call('permissions.grant', { params: { actorId: name }, body });
    case 'alias':
      return call('alias-permissions.grant', { params: { alias: name }, body });
    case 'config':
      return call('config-permissions.grant', { params: { configName: name }, body });
  }
};

const judged = ({ call }: Asker, { kind, name }: Target, username: string, level: Level) => {
  const query = { level };
  switch (kind) {
    case 'actor':
      return call('permissions.can', { params: { actorId: name, username }, query });
    case 'alias':
      return call('alias-permissions.can', { params: { alias: name, username }, query });
    case 'config':
      return call('config-permissions.can', { params: { configName: name, username }, query });
  }
};

const entryOf = (permissions: Permissions, user: string): Level | undefined =>
  Object.hasOwn(permissions, user) ? permissions[user] : undefined;

/** Names the target where actor and alias could be confused: both have permissions of their own. */
const formatTarget = (target: Target): string => {
  if (target.kind === 'alias') return `${target.words} (the actor keeps its own permissions)`;
  if (target.kind === 'config' || target.alias === undefined) return target.words;
  return `${target.words}, the actor of alias ${target.alias} (the alias itself: alias:${target.alias})`;
};

const rankOf = (level: Level | undefined): number => levels.indexOf(level ?? 'NONE');

/** `bob: EXECUTE -> READ (lowered)` */
const formatChange = (user: string, before: Level | undefined, after: Level): string => {
  if (before === after) return `${user}: already ${after}`;
  return `${user}: ${before ?? '-'} -> ${after}${rankOf(after) < rankOf(before) ? ' (lowered)' : ''}`;
};

/** Reports that a lowered user keeps a higher level, because every user has it. */
const noteEverybody = (
  { output }: Pick<CommandContext, 'output'>,
  permissions: Permissions,
  user: string,
  level: Level,
): void => {
  const everybody = entryOf(permissions, WORLD);
  if (user !== WORLD && rankOf(everybody) > rankOf(level)) output.note(`everybody still has ${everybody} (${WORLD})`);
};

/** Warns about an unknown user name. The service accepts it, but it is probably a typing mistake. */
const warnOfNobody = async ({ call, output }: Pick<CommandContext, 'call' | 'output'>, user: string): Promise<void> => {
  if (user === WORLD) return;
  try {
    await call('profiles.show', { params: { username: user } });
  } catch (error) {
    if (!(error instanceof CliFailure && error.code === 'NOT_FOUND')) throw error;
    output.warn(`there is no user "${user}". A user created later with that name will have this permission`);
  }
};

interface Row {
  readonly user: string;
  readonly level: Level;
}

const rowFields = ['user', 'level'];

const rowView: View<Row> = {
  id: ({ user }) => user,
  fields: rowFields,
  columns: [
    { header: 'USER', value: ({ user }) => user, role: 'name' },
    { header: 'LEVEL', value: ({ level }) => level },
  ],
};

const target = required('actor, alias:NAME or config:NAME', 'actor, alias or config');

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: `List permissions (${WORLD} means every user)`,
  operations: ['permissions.list', 'alias-permissions.list', 'config-permissions.list'],
  args: { target },
  list: true,
  examples: ['actorctl permissions list wordcount', 'actorctl permissions list config:db --json'],
  run: async (context, { target: reference }) => {
    const { output } = context;
    const permissions = await permissionsOf(context, await resolveTarget(context, reference));
    const rows: readonly Row[] = Object.entries(permissions).map(([user, level]) => ({ user, level }));
    if (!output.machine && output.format !== 'yaml') {
      output.rows(
        rows.filter(({ level }) => level !== 'NONE'),
        rowView,
      );
    } else {
      // Machine formats print a map, like the service, which lists revoked users as well.
      const { selection } = output;
      const shown = selection === undefined ? rows : selectRows(rows, selection, rowFields, context.serviceClock.now());
      output.report('', new OwnNames(Object.fromEntries(shown.map(({ user, level }) => [user, level]))));
    }
    return 0;
  },
});

/** Parses `USER LEVEL`, or several `USER=LEVEL`. */
const readGrants = (words: readonly string[]): readonly (readonly [string, Level])[] => {
  const [user = '', level = ''] = words;
  if (words.length === 2 && words.every((word) => !word.includes('='))) return [[user, levelOf(level)]];
  if (words.some((word) => !word.includes('=')))
    throw usage('the user or the level is missing', 'give USER LEVEL, or USER=LEVEL several times');
  return words.map((word) => {
    const [name, given] = readPair(word, 'permission');
    return [name, levelOf(given)];
  });
};

/** Adds to an error which permissions were granted before it. */
const grantStopped = (error: CliFailure, user: string, given: readonly string[]): CliFailure =>
  new CliFailure(error.code, `cannot grant to "${user}": ${error.message} Granted before: ${given.join('; ')}`, {
    ...error.extras,
    details: { ...error.extras.details, given },
    cause: error,
  });

const grant = command({
  name: 'grant',
  summary: `Grant users a level (${WORLD} means every user)`,
  operations: ['permissions.grant', 'alias-permissions.grant', 'config-permissions.grant'],
  args: { target, grants: { ...several('USER LEVEL, or USER=LEVEL several times'), pair: ['grantee', levels] } },
  options: { dryRun },
  examples: [
    'actorctl permissions grant wordcount ana READ',
    'actorctl permissions grant config:db ana=READ bob=UPDATE',
    `actorctl permissions grant alias:wc ${WORLD} EXECUTE`,
  ],
  run: async (context, { target: reference, grants }, { dryRun }) => {
    const { output } = context;
    const asked = readGrants(grants);
    const on = await resolveTarget(context, reference);
    let permissions = await permissionsOf(context, on);
    const lines: string[] = [];
    for (const [user, level] of asked) {
      const before = entryOf(permissions, user);
      try {
        permissions = dryRun ? { ...permissions, [user]: level } : await give(context, on, user, level);
      } catch (error) {
        if (error instanceof CliFailure && lines.length > 0) throw grantStopped(error, user, lines);
        throw error;
      }
      lines.push(`${formatChange(user, before, level)} on ${formatTarget(on)}`);
      if (rankOf(level) < rankOf(before)) noteEverybody(context, permissions, user, level);
      await warnOfNobody(context, user);
    }
    if (dryRun)
      return tellDryRun(
        context,
        lines.map((line) => `grant ${line}`),
        { permissions },
      );
    output.result(lines.join('\n'), new OwnNames(permissions));
    return 0;
  },
});

const revoke = command({
  name: 'revoke',
  summary: 'Revoke the permission of a user',
  details: 'The last user with UPDATE cannot lose it.',
  operations: ['permissions.grant', 'alias-permissions.grant', 'config-permissions.grant'],
  args: { target, user: required('user name', 'grantee') },
  examples: ['actorctl permissions revoke wordcount ana --yes'],
  run: async (context, { target: reference, user }) => {
    const { output, prompt } = context;
    const on = await resolveTarget(context, reference);
    const before = entryOf(await permissionsOf(context, on), user);
    if (before === undefined || before === 'NONE') {
      throw new CliFailure('NOT_FOUND', `"${user}" has no permission on ${on.words}`, {
        hint: `actorctl permissions list ${reference}`,
        details: { user },
      });
    }
    await prompt.confirm(`Revoke ${before} on ${formatTarget(on)} from ${user}?`);
    const permissions = await give(context, on, user, 'NONE');
    output.result(`${user}: ${before} -> NONE on ${formatTarget(on)}`, new OwnNames(permissions));
    noteEverybody(context, permissions, user, 'NONE');
    return 0;
  },
});

const can = command({
  name: 'can',
  summary: 'Check whether a user has a level, and explain why',
  details: 'Exit code 0 for yes, 5 for no.',
  operations: ['permissions.can', 'alias-permissions.can', 'config-permissions.can'],
  args: { user: required('user name', 'profile'), level: required(`level: ${levels.join(', ')}`, levels), target },
  examples: ['actorctl permissions can ana UPDATE wordcount', 'actorctl permissions can bob READ config:db'],
  run: async (context, { user, level, target: reference }) => {
    const needs = levelOf(level);
    const on = await resolveTarget(context, reference);
    const verdict = await judged(context, on, user, needs);
    context.output.report(`${verdict.allowed ? 'yes' : 'no'}: ${verdict.why}`, verdict);
    return verdict.allowed ? 0 : NO;
  },
});

export const permissionsCommand: readonly LeafEntry[] = [list, grant, revoke, can];
