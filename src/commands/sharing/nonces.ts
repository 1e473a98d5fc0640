// `nonces`: create, list, show and delete nonces, which allow calls of one actor or alias without a token.
import { pathOf } from '../../client/call.ts';
import type { CommandContext } from '../../context.ts';
import { routes } from '../../contract/for-client.ts';
import { NONCE_PARAMETER } from '../../contract/operation.ts';
import { usage } from '../../failure.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { choice, flag, parsed, required, text } from '../framework/option.ts';
import { resolveActorOrAlias } from '../framework/resolve-target.ts';
import { resultShownOnce } from '../framework/shown-once.ts';
import { type Nonce, nonceView } from '../framework/views.ts';

/** The actor or alias of a nonce. `label` is for sentences, `name` for documents. */
interface NonceTarget {
  readonly kind: 'actor' | 'alias';
  readonly id: string;
  readonly label: string;
  readonly name: string;
}

const targetOf = async (context: CommandContext, reference: string): Promise<NonceTarget> => {
  const target = await resolveActorOrAlias(context, reference);
  const { kind, name: id } = target;
  const label = target.kind === 'actor' ? target.called || id : id;
  return { kind, id, label: `${kind} ${label}`, name: `${kind}:${id}` };
};

const levelChoices = ['NONE', 'READ', 'EXECUTE', 'UPDATE'] as const;

/** Parses a whole number from 1, or `unlimited`. */
const readUses = (value: string, name: string): number => {
  if (value === 'unlimited' || value === '-1') return -1;
  if (/^[1-9]\d{0,9}$/.test(value)) return Number(value);
  throw usage(`${name} must be a whole number from 1, or unlimited, not "${value}"`);
};

const readLife = (value: string, name: string): number => {
  const ms = parseDuration(value, `a duration for ${name}`);
  if (ms >= 1_000 && ms % 1_000 === 0) return ms / 1_000;
  throw usage(`${name} must be whole seconds, at least 1s`, 'write it as 90s, 15m, 4h or 30d');
};

const formatUses = ({ remainingUses }: Nonce): string =>
  remainingUses === -1 ? 'unlimited uses' : plural(remainingUses, 'use');

/** Returns a curl command with the nonce. The command sends a message if the level allows it, else shows the actor. */
const curlOf = (origin: string, target: NonceTarget, { id, level }: Nonce): string => {
  const sends = level === 'EXECUTE' || level === 'UPDATE';
  const path = pathOf(routes[sends ? 'messages.send' : 'actors.show'], { actorId: target.id });
  const address = `'${origin}${path}?${NONCE_PARAMETER}=${encodeURIComponent(id)}'`;
  return sends ? `curl -d message=hello ${address}` : `curl ${address}`;
};

const create = command({
  name: 'create',
  summary: 'Create a nonce for an actor or alias and show it once',
  operations: ['nonces.create', 'alias-nonces.create'],
  args: { target: required('actor, or alias:NAME', 'actor or alias') },
  options: {
    level: choice('--level <level>', 'level: NONE, READ, EXECUTE (default), UPDATE (actors only)', levelChoices),
    maxUses: parsed('--max-uses <n>', 'number of uses (default: unlimited)', readUses),
    expires: parsed('--expires <duration>', 'lifetime (default: until it is deleted)', readLife),
    description: text('--description <text>', 'description'),
    url: flag('--url', 'print a curl command with the nonce'),
  },
  examples: [
    'actorctl nonces create wordcount --level EXECUTE --max-uses 10 --expires 30d',
    'actorctl nonces create alias:wc --level READ --url',
  ],
  run: async (context, { target: reference }, { level, maxUses, expires, description, url }) => {
    const { call } = context;
    const target = await targetOf(context, reference);
    const body = {
      ...(level !== undefined && { level }),
      ...(maxUses !== undefined && { maxUses }),
      ...(expires !== undefined && { expiresIn: expires }),
      ...(description !== undefined && { description }),
    };
    const made =
      target.kind === 'actor'
        ? await call('nonces.create', { params: { actorId: target.id }, body })
        : await call('alias-nonces.create', { params: { alias: target.id }, body });
    const curl = url ? curlOf(await context.origin(), target, made) : undefined;
    const sentence = `Created nonce ${made.id}  level ${made.level}, ${formatUses(made)} on ${target.label} (shown once)`;
    resultShownOnce(context, {
      secret: made.id,
      what: `the new nonce on ${target.label}`,
      hint: `delete it and create another nonce. To find its id: actorctl nonces list ${reference}`,
      sentence: curl === undefined ? sentence : `${sentence}\n${curl}`,
      value: { ...made, target: target.name, ...(curl !== undefined && { curl }) },
      id: made.id,
    });
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the nonces of an actor or alias',
  details: 'The list shows short ids that cannot be used as nonces.',
  operations: ['nonces.list', 'alias-nonces.list'],
  args: { target: required('actor, or alias:NAME', 'actor or alias') },
  list: true,
  run: async (context, { target: reference }) => {
    const target = await targetOf(context, reference);
    const rows =
      target.kind === 'actor'
        ? await context.call('nonces.list', { params: { actorId: target.id } })
        : await context.call('alias-nonces.list', { params: { alias: target.id } });
    context.output.rows(rows, nonceView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a nonce of an actor or alias',
  operations: ['nonces.show', 'alias-nonces.show'],
  args: {
    target: required('actor, or alias:NAME', 'actor or alias'),
    nonce: required('listed id, or the nonce itself', 'nonce'),
  },
  run: async (context, { target: reference, nonce: nonceId }) => {
    const target = await targetOf(context, reference);
    const nonce =
      target.kind === 'actor'
        ? await context.call('nonces.show', { params: { actorId: target.id, nonceId } })
        : await context.call('alias-nonces.show', { params: { alias: target.id, nonceId } });
    context.output.item(nonce, nonceView);
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a nonce of an actor or alias',
  operations: ['nonces.delete', 'alias-nonces.delete', 'nonces.show', 'alias-nonces.show'],
  args: {
    target: required('actor, or alias:NAME', 'actor or alias'),
    nonce: required('listed id, or the nonce itself', 'nonce'),
  },
  examples: ['actorctl nonces delete wordcount DEV_q8… --yes'],
  run: async (context, { target: reference, nonce: typed }) => {
    const { call, output, prompt } = context;
    const target = await targetOf(context, reference);
    // Prints the listed id, because the typed one may be the secret nonce.
    const found =
      target.kind === 'actor'
        ? await call('nonces.show', { params: { actorId: target.id, nonceId: typed } })
        : await call('alias-nonces.show', { params: { alias: target.id, nonceId: typed } });
    await prompt.confirm(`Delete nonce ${found.id} of ${target.label} (${formatUses(found)} left)?`);
    if (target.kind === 'actor') await call('nonces.delete', { params: { actorId: target.id, nonceId: found.id } });
    else await call('alias-nonces.delete', { params: { alias: target.id, nonceId: found.id } });
    output.result(`Deleted nonce ${found.id} of ${target.label}`, { deleted: found.id }, found.id);
    return 0;
  },
});

export const noncesCommand: readonly LeafEntry[] = [create, list, show, remove];
