// The causes and effects of an execution as a tree.
import { useRef } from 'preact/hooks';
import { usePolled } from '../../api/poll.ts';
import { commandLine } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { ExecutionStatus } from '../../parts/status.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { isSettled, mentions, type Node, readWhy } from './why.ts';

const Label = ({ node }: { readonly node: Node }) => {
  if (node.kind === 'gone')
    return <span class="soft">{`${node.text} ${node.id} (deleted, or you may not read it)`}</span>;
  if (node.kind !== 'execution') {
    return (
      <span>
        {safe(node.text)} {node.kind === 'message' ? null : <code class="soft">{node.id}</code>}
      </span>
    );
  }
  const name = nameOf(node.actorId ?? '');
  return (
    <span>
      {node.text === '' ? '' : `${node.text}: `}
      {node.here ? (
        <strong>{name}</strong>
      ) : (
        <a class="link" href={hashOf(['executions', node.id])}>
          {name}
        </a>
      )}{' '}
      {node.outcome === undefined ? null : <ExecutionStatus execution={node.outcome} />}
      {node.here ? <span class="soft"> this one</span> : null}
    </span>
  );
};

const Branch = ({ node }: { readonly node: Node }) => (
  <li>
    <Label node={node} />
    {node.ledTo.length === 0 ? null : (
      <ul>
        {node.ledTo.map((next) => (
          <Branch key={`${next.kind} ${next.id}`} node={next} />
        ))}
      </ul>
    )}
  </li>
);

/** Milliseconds between two reads: the effects of an execution appear after its end. */
const EVERY_MS = 10_000;
const AFTER_EVENT_MS = 1_000;

export const WhyTree = ({ id }: { readonly id: string }) => {
  const settled = useRef(false);
  const { value: tree } = usePolled(`why ${id}`, (signal) => readWhy(id, signal), {
    every: EVERY_MS,
    afterEvents: AFTER_EVENT_MS,
    concerns: ({ execution_id }, shown) =>
      execution_id !== undefined && shown !== undefined && mentions(shown, execution_id),
    // Each read makes the service scan all executions.
    overEvery: Number.POSITIVE_INFINITY,
    isOver(shown) {
      // A link creates its message shortly after the end, so one more read follows.
      const before = settled.current;
      settled.current = shown !== undefined && isSettled(shown);
      return before && settled.current;
    },
  });
  return (
    <section class="panel" aria-labelledby="why-title">
      <header>
        <h2 id="why-title">Why</h2>
      </header>
      <div class="body">
        {tree.value === undefined ? (
          <p class="soft">…</p>
        ) : (
          <ul class="tree">
            <Branch node={tree.value} />
          </ul>
        )}
        <Command line={commandLine('why', id)} />
      </div>
    </section>
  );
};
