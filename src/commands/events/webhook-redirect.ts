// Redirects the webhooks of actors temporarily.
import { receiverAt } from '../../client/webhook-receiver.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf, usage } from '../../failure.ts';
import { changeFields } from '../actors/actor-change.ts';
import type { Actor } from '../framework/views.ts';

/**
 * Time limit for restoring a webhook, in milliseconds. Restoring has its own limit, so that Ctrl-C does not prevent
 * it.
 */
const RESTORE_MS = 10_000;

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export interface Place {
  readonly bind: string | undefined;
  readonly url: string | undefined;
}

/** The URL at which the service reaches the receiver. @throws CliFailure USAGE if it cannot reach this machine */
export const urlFor = async (
  context: Pick<CommandContext, 'origin'>,
  { bind, url }: Place,
  port: number,
): Promise<string> => {
  if (url !== undefined) return url;
  const { hostname } = new URL(await context.origin());
  const everywhere = bind === undefined || bind === '0.0.0.0' || bind === '::';
  if (everywhere && !loopback.test(hostname)) {
    const hint = `--bind 0.0.0.0 --port ${port} --url http://<this machine>:${port}/hook`;
    throw usage(`the service at ${hostname} cannot reach 127.0.0.1 of this machine`, hint);
  }
  return `http://${everywhere ? '127.0.0.1' : bind.includes(':') ? `[${bind}]` : bind}:${port}/hook`;
};

/**
 * Refuses a webhook that belongs to another running `webhooks listen`. Each of the two commands would restore the URL
 * that it found, so the second to end would restore a URL where nothing listens. Checks only URLs of this machine.
 */
const demandNoListener = async ({ transport }: CommandContext, actor: Actor, ours: string): Promise<void> => {
  const { id, name, webhook } = actor;
  if (webhook === ours || !URL.canParse(webhook)) return;
  const url = new URL(webhook);
  if (!loopback.test(url.hostname) && url.hostname !== new URL(ours).hostname) return;
  if ((await receiverAt(transport, url)) === undefined) return;
  throw new CliFailure(
    'ALREADY_RUNNING',
    `cannot redirect the webhook of ${name || id}: another "actorctl webhooks listen" receives it at ${webhook}`,
    {
      hint: 'end that command first',
      details: { actor_id: id, webhook },
    },
  );
};

/** Restores the previous webhook, unless another user has changed it meanwhile. */
const restore = async (context: CommandContext, { id, webhook }: Actor, ours: string): Promise<void> => {
  const signal = AbortSignal.timeout(RESTORE_MS);
  const again = webhook === '' ? `actorctl webhooks unset ${id}` : `actorctl webhooks set ${id} ${webhook}`;
  try {
    const now = await context.call('actors.show', { params: { actorId: id }, signal });
    const { before } = await changeFields(
      context,
      now,
      (each) => (each.webhook === ours ? { webhook } : undefined),
      signal,
    );
    const name = before.name || id;
    if (before.webhook === ours)
      context.output.note(`${name}: webhook ${webhook === '' ? 'removed' : `restored to ${webhook}`}`);
    else if (before.webhook !== webhook)
      context.output.warn(
        `the webhook of ${name} was changed to ${before.webhook || 'none'} meanwhile, so it is not restored. To restore it: ${again}`,
      );
  } catch (error) {
    context.output.warn(`cannot restore the webhook of ${id}: ${messageOf(error)}. To restore it: ${again}`);
  }
};

/**
 * Sets the webhook of the actors to a URL. Returns a function that restores the previous webhooks, even after an
 * interrupt.
 * @throws CliFailure ALREADY_RUNNING and the errors of the service, after all changes were undone
 */
export const redirect = async (
  context: CommandContext,
  actors: readonly Actor[],
  url: string,
): Promise<() => Promise<void>> => {
  const changed: Actor[] = [];
  const undo = async (): Promise<void> => {
    for (const actor of changed) await restore(context, actor, url);
  };
  try {
    for (const actor of new Map(actors.map((each) => [each.id, each])).values()) {
      const signal = AbortSignal.timeout(RESTORE_MS);
      const { before, after } = await changeFields(
        context,
        actor,
        async (now) => {
          await demandNoListener(context, now, url);
          return { webhook: url };
        },
        signal,
      );
      changed.push(before);
      context.output.note(`${actor.name || actor.id}: webhook ${after.webhook} until this command ends`);
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return undo;
};
