// Drawings of the graph of links, webhooks and schedules.
import { describe, expect, it } from 'vitest';
import { drawings, graphOf, shownUrl, type WiredActor } from '../../../src/commands/events/link-graph.ts';

const actors: readonly WiredActor[] = [
  { id: 'A', name: 'clean', link: 'rep', out: 'B', cron: '0 9 * * *' },
  { id: 'B', name: 'report', link: 'C', out: 'C', webhook: 'http://127.0.0.1:9/hook?x-nonce=secret' },
  { id: 'C', name: '' },
  { id: 'D', name: 'late', link: 'C', out: 'C', problem: 'ana, who set the link, has no EXECUTE on actor C any more' },
  { id: 'E', name: 'lost "one" <#1>', link: 'nobody', problem: "there is no actor 'nobody'" },
  { id: 'F', name: 'alone' },
];

describe('the graph of actors', () => {
  it('is drawn as trees, and a shared subtree is drawn once', () => {
    expect(drawings.tree(graphOf(actors))).toBe(
      [
        'clean',
        '├─ cron 0 9 * * *',
        '└─ report',
        '   ├─ webhook http://127.0.0.1:9/hook?…',
        '   └─ C',
        'late',
        '└─ C  (ana, who set the link, has no EXECUTE on actor C any more)',
        'lost "one" <#1>',
        "└─ nobody  (there is no actor 'nobody')",
        '',
      ].join('\n'),
    );
    const shared = [
      { id: 'A', name: 'a', link: 'C', out: 'C' },
      { id: 'B', name: 'b', link: 'C', out: 'C' },
      { id: 'C', name: 'c', link: 'D', out: 'D' },
      { id: 'D', name: 'd' },
    ];
    expect(drawings.tree(graphOf(shared))).toBe('a\n└─ c\n   └─ d\nb\n└─ c  (see above)\n');
  });

  it('of one actor holds all actors connected to it, and at least the actor itself', () => {
    expect(graphOf(actors, 'A').nodes.map(({ id }) => id)).toEqual([
      'A',
      'cron:A',
      'B',
      'webhook:http://127.0.0.1:9/hook?…',
      'C',
      'D',
    ]);
    expect(drawings.tree(graphOf(actors, 'F'))).toBe('alone\n');
  });

  it('does not connect actors that share only a webhook receiver', () => {
    const url = 'http://127.0.0.1:9/';
    const two = ['A', 'B'].map((id) => ({ id, name: '', webhook: url }));
    expect(graphOf(two, 'A').edges).toEqual([{ from: 'A', to: `webhook:${url}`, kind: 'webhook' }]);
  });

  it('holds the target of a link even if the listing lacks it', () => {
    expect(graphOf([{ id: 'A', name: 'a', link: 'X', out: 'X' }]).nodes).toContainEqual({
      id: 'X',
      kind: 'actor',
      label: 'X',
    });
  });

  it('is escaped for Graphviz and Mermaid, whatever the names contain', () => {
    const graph = graphOf(actors, 'E');
    expect(drawings.dot(graph)).toBe(
      [
        'digraph actors {',
        '  rankdir=LR;',
        '  n0 [label="lost \\"one\\" <#1>", shape=box];',
        '  n1 [label="nobody", shape=box, style=dashed];',
        `  n0 -> n1 [style=dashed, tooltip="there is no actor 'nobody'"];`,
        '}',
        '',
      ].join('\n'),
    );
    expect(drawings.mermaid(graph)).toBe(
      'graph LR\n  n0["lost #quot;one#quot; #lt;#35;1#gt;"]\n  n1["nobody"]\n  n0 -.-> n1\n',
    );
    expect(drawings.mermaid(graphOf(actors, 'A'))).toContain('n1 -->|cron| n0');
  });

  it('never shows the query of a URL', () => {
    expect(shownUrl('http://127.0.0.1:8722/actors/v2/x/messages?x-nonce=secret')).toBe(
      'http://127.0.0.1:8722/actors/v2/x/messages?…',
    );
    expect(JSON.stringify(graphOf(actors))).not.toContain('secret');
  });
});
