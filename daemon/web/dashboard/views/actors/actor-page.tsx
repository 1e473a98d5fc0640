// One actor with all its parts.
import { useEffect, useRef } from 'preact/hooks';
import type { Level } from '../../../../../src/contract/operation.ts';
import { ask } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { readNames, resolveName } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Status } from '../../parts/status.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { ExecutionList } from '../executions/execution-list.tsx';
import { Access } from './access-tab.tsx';
import { Parts } from './actor-parts.tsx';
import { ActorActions } from './edit/actor-actions.tsx';
import { ActorForm } from './edit/actor-form.tsx';
import { refusalOf, useLevel } from './level.ts';
import { MessageTab } from './message-tab.tsx';
import type { Actor } from './rows.ts';
import { StateTab } from './state-tab.tsx';
import { Waiting } from './waiting.tsx';

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;

const tabs = [
  ['', 'Runs'],
  ['about', 'Description'],
  ['state', 'State'],
  ['access', 'Permissions and nonces'],
] as const;

const DELETED = 'This actor was deleted.';

interface RunsProps {
  readonly actor: Actor;
  readonly isDeleted: boolean;
  readonly level: Level | undefined;
  readonly from: string | undefined;
}

/** The executions of the actor, beside the form that sends it a message. */
const Runs = ({ actor, isDeleted, level, from }: RunsProps) => (
  <div class="split">
    <section aria-label="Runs of the actor" class="side">
      {isDeleted ? null : (
        <>
          <Waiting actor={actor} refusal={refusalOf(level, 'UPDATE')} />
          <ExecutionList filters={{ actor: actor.id }} />
        </>
      )}
    </section>
    <div class="side">
      <MessageTab
        key={from}
        actorId={actor.id}
        refusal={isDeleted ? DELETED : refusalOf(level, 'EXECUTE')}
        from={from}
      />
    </div>
  </div>
);

interface ActorPageProps {
  readonly id: string;
  readonly tab: string;
  /** Execution whose message is edited. */
  readonly from: string | undefined;
}

export const ActorPage = ({ id, tab, from }: ActorPageProps) => {
  /** The actor as it was read last. What a person types into its page stays when the actor is deleted elsewhere. */
  const last = useRef<Actor | undefined>(undefined);
  const { value, problem, again } = usePolled(
    id,
    async (signal) => {
      const read = (actorId: string) => ask('GET /actors/v2/:actorId', { params: { actorId }, signal });
      const found = await read(await resolveName(id)).catch((error: unknown) => {
        // The actor may still exist without the name or alias of the address.
        if (last.current === undefined || !(error instanceof ApiFailure && error.status === 404)) throw error;
        return read(last.current.id);
      });
      // A word of the API, like `aliases`, is answered with something else.
      if (typeof found.id !== 'string') throw new ApiFailure(404, 'There is no such actor. Check the address.');
      return found;
    },
    {
      every: EVERY_MS,
      afterEvents: AFTER_EVENT_MS,
      // The address may contain an alias or a name instead of an id.
      concerns: (event, found) => event.actor_id === (found?.id ?? id),
    },
  );
  // Commands name the actor by its name where that is unambiguous.
  useEffect(readNames, []);
  last.current = value.value ?? last.current;
  const actor = last.current;
  const isDeleted = actor !== undefined && value.value === undefined;
  const level = useLevel(actor?.id);
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['actors'])}>
            Actors /
          </a>{' '}
          {safe(actor?.name || id)}
        </h1>
        <div class="actions">
          <a class="link" href={hashOf(['events'], { actor: actor?.id ?? id })}>
            Events
          </a>
          {actor === undefined || isDeleted ? null : (
            <ActorActions actor={actor} level={level.value} onChanged={again} />
          )}
        </div>
      </div>
      {isDeleted ? (
        <p class="problem" role="alert">
          {DELETED}{' '}
          <a class="link" href={hashOf(['actors'])}>
            Back to actors
          </a>
        </p>
      ) : (
        <Problem text={problem.value} />
      )}
      {actor === undefined ? null : (
        <>
          {isDeleted ? null : (
            <p class="summary">
              <Status status={actor.status} />
              <span class={actor.status === 'ERROR' ? 'bad' : 'soft'}>{safe(actor.statusMessage)}</span>
              <span class="soft">
                changed <Ago time={actor.lastUpdateTime} /> ago
              </span>
            </p>
          )}
          <Tabs label="Parts of the actor" current={tab}>
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
          </Tabs>
          {tab === '' ? <Runs actor={actor} isDeleted={isDeleted} level={level.value} from={from} /> : null}
          {tab === 'about' && !isDeleted ? (
            <Parts actor={actor} refusal={refusalOf(level.value, 'UPDATE')} onChanged={again} />
          ) : null}
          {tab === 'edit' ? (
            <ActorForm
              key={actor.id}
              actor={actor}
              refusal={isDeleted ? DELETED : refusalOf(level.value, 'UPDATE')}
              onChanged={again}
            />
          ) : null}
          {tab === 'state' && !isDeleted ? (
            actor.stateless ? (
              <p class="panel empty">This actor is stateless.</p>
            ) : (
              <StateTab actorId={actor.id} refusal={refusalOf(level.value, 'UPDATE')} />
            )
          ) : null}
          {tab === 'access' && !isDeleted ? <Access actor={actor} refusal={refusalOf(level.value, 'UPDATE')} /> : null}
        </>
      )}
    </>
  );
};
