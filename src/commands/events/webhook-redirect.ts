// Webhooks of actors that lead somewhere else for a while.
import type { CommandContext } from '../../context.ts';
import { messageOf, usage } from '../../failure.ts';
import { descriptionOf } from '../actors/actor-flags.ts';
import type { Actor } from '../kernel/views.ts';

/** Milliseconds for putting a webhook back; Ctrl-C must not cost it. */
const RESTORE_MS = 10_000;

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Where a receiver listens, as the flags say it. */
export interface Place {
  readonly bind: string | undefined;
  /** As the service reaches it. */
  readonly url: string | undefined;
}

/** The URL under which the service reaches a receiver. @throws CliFailure USAGE when it could not reach this machine */
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

type Change = (actor: Actor, webhook: string) => Promise<Actor>;

/** Puts back what was set before, unless somebody has set another one meanwhile. */
const restore = async (
  context: CommandContext,
  { id, webhook }: Actor,
  ours: string,
  change: Change,
): Promise<void> => {
  const signal = AbortSignal.timeout(RESTORE_MS);
  try {
    const now = await context.call('actors.show', { params: { actorId: id }, signal });
    if (now.webhook !== ours) return;
    await change(now, webhook);
    context.output.note(`${now.name || id}: webhook ${webhook === '' ? 'removed' : `${webhook} again`}`);
  } catch (error) {
    const again = webhook === '' ? `actorctl webhooks unset ${id}` : `actorctl webhooks set ${id} ${webhook}`;
    context.output.warn(`the webhook of ${id} could not be put back (${messageOf(error)}); ${again}`);
  }
};

/**
 * Has the events of actors posted to a URL; answers how to undo it, which works after an interrupt as well.
 * @throws CliFailure the refusals of the service; nothing is left changed then
 */
export const redirect = async (
  context: CommandContext,
  actors: readonly Actor[],
  url: string,
): Promise<() => Promise<void>> => {
  const change: Change = (actor, webhook) =>
    context.call('actors.update', {
      params: { actorId: actor.id },
      body: { ...descriptionOf(actor), webhook },
      signal: AbortSignal.timeout(RESTORE_MS),
    });
  const changed: Actor[] = [];
  const undo = async (): Promise<void> => {
    for (const actor of changed) await restore(context, actor, url, change);
  };
  try {
    for (const actor of actors) {
      const { webhook } = await change(actor, url);
      changed.push(actor);
      context.output.note(`${actor.name || actor.id}: webhook ${webhook}, until this ends`);
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return undo;
};
