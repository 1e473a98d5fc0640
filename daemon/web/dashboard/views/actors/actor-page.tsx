// One actor with all its parts.
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Status } from '../../parts/status.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { Access } from './access-tab.tsx';
import { Parts } from './actor-parts.tsx';
import { MessageTab } from './message-tab.tsx';
import { StateTab } from './state-tab.tsx';

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;

const tabs = [
  ['', 'Actor'],
  ['message', 'Send a message'],
  ['state', 'State'],
  ['access', 'Permissions and nonces'],
] as const;

export const ActorPage = ({ id, tab }: { readonly id: string; readonly tab: string }) => {
  const { value, problem } = usePolled(
    id,
    (signal) => ask('GET /actors/v2/:actorId', { params: { actorId: id }, signal }),
    {
      every: EVERY_MS,
      afterEvents: AFTER_EVENT_MS,
      // The address may contain an alias instead of an id.
      concerns: (event, found) => event.actor_id === (found?.id ?? id),
    },
  );
  const actor = value.value;
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['actors'])}>
            Actors /
          </a>{' '}
          {safe(actor?.name || id)}
        </h1>
        <p class="actions">
          <a class="link" href={hashOf(['executions'], { actor: id })}>
            Executions
          </a>
          <a class="link" href={hashOf(['events'], { actor: actor?.id ?? id })}>
            Events
          </a>
        </p>
      </div>
      <Problem text={problem.value} />
      {actor === undefined ? null : (
        <>
          <p class="summary">
            <Status status={actor.status} />
            <span class={actor.status === 'ERROR' ? 'bad' : 'soft'}>{safe(actor.statusMessage)}</span>
            <span class="soft">
              changed <Ago time={actor.lastUpdateTime} /> ago
            </span>
          </p>
          <nav class="tabs" aria-label="Parts of the actor">
            {tabs
              .filter(([name]) => name !== 'state' || !actor.stateless)
              .map(([name, word]) => (
                <a
                  key={name}
                  href={hashOf(['actors', id], { tab: name })}
                  aria-current={tab === name ? 'page' : undefined}
                >
                  {word}
                </a>
              ))}
          </nav>
          {tab === '' ? <Parts actor={actor} /> : null}
          {tab === 'message' ? <MessageTab actorId={actor.id} /> : null}
          {tab === 'state' ? <StateTab actorId={actor.id} /> : null}
          {tab === 'access' ? <Access actorId={actor.id} /> : null}
        </>
      )}
    </>
  );
};
