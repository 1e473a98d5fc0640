// A node of the graph: an actor with its state, the receiver of a webhook, or an actor that is not known.
import { Status } from '../../parts/status.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import type { WireNode } from './graph.ts';
import type { Box } from './layout.ts';

export interface Busy {
  readonly running: number;
  readonly waiting: number;
}

interface NodeProps {
  readonly node: WireNode;
  readonly box: Box;
  readonly busy: Busy | undefined;
  readonly isTabStop: boolean;
}

const IDLE: Busy = { running: 0, waiting: 0 };

const formatBusy = ({ running, waiting }: Busy): string =>
  [running > 0 ? `${running} running` : '', waiting > 0 ? `${waiting} waiting` : '']
    .filter((part) => part !== '')
    .join(', ');

export const Node = ({ node, box, busy, isTabStop }: NodeProps) => {
  const { id, kind, label, status, aliases } = node;
  const style = { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` };
  const name = (
    <span class="wire-name" title={safe(label)}>
      {safe(label)}
    </span>
  );
  if (kind !== 'actor') {
    return (
      <div class={`wire-node is-${kind}`} style={style}>
        {name}
        <span class="soft">{kind === 'address' ? 'webhook' : 'not found or not readable'}</span>
      </div>
    );
  }
  const { running, waiting } = busy ?? IDLE;
  const doing = formatBusy({ running, waiting });
  return (
    <a
      class="wire-node"
      href={hashOf(['actors', id])}
      data-stop={id}
      tabIndex={isTabStop ? 0 : -1}
      draggable={false}
      style={style}
    >
      {name}
      <span class="wire-state" title={doing}>
        {status === 'READY' && doing !== '' ? (
          <span class={`status is-${running > 0 ? 'run' : 'wait'}`}>{doing}</span>
        ) : (
          <>
            <Status status={status ?? ''} /> <span class="soft">{doing}</span>
          </>
        )}
      </span>
      {aliases.length === 0 ? null : (
        <span class="wire-aliases soft" title={aliases.map(safe).join(', ')}>
          alias {aliases.map(safe).join(', ')}
        </span>
      )}
    </a>
  );
};
