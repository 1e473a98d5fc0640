// The executions of an actor, with the form that sends it a message.
import type { Level } from '../../../../../src/contract/operation.ts';
import { ExecutionList } from '../executions/execution-list.tsx';
import { MessageTab } from './message-tab.tsx';
import type { Actor } from './rows.ts';

export const Runs = ({ actor: { id }, level }: { readonly actor: Actor; readonly level: Level | undefined }) => (
  <div class="split">
    <section aria-label="Runs of the actor" class="side">
      <ExecutionList filters={{ actor: id }} />
    </section>
    <div class="side">
      <MessageTab actorId={id} level={level} />
    </div>
  </div>
);
