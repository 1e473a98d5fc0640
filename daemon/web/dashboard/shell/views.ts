// The views: their addresses, keys and code, which is loaded when a view is opened.
import type { ComponentType } from 'preact';
import type { Place, ViewProps } from './place.ts';

interface View {
  readonly title: string;
  readonly path: readonly string[];
  /** The letter after `g`. */
  readonly key: string;
  readonly load: () => Promise<ComponentType<ViewProps>>;
}

export const views: readonly View[] = [
  {
    title: 'Overview',
    path: [],
    key: 'o',
    load: async () => (await import('../views/overview/overview.tsx')).Overview,
  },
  {
    title: 'Actors',
    path: ['actors'],
    key: 'a',
    load: async () => (await import('../views/actors/actors.tsx')).Actors,
  },
  {
    title: 'Executions',
    path: ['executions'],
    key: 'x',
    load: async () => (await import('../views/executions/executions.tsx')).Executions,
  },
  {
    title: 'Events',
    path: ['events'],
    key: 'e',
    load: async () => (await import('../views/events/events.tsx')).Events,
  },
  {
    title: 'Wiring',
    path: ['wiring'],
    key: 'w',
    load: async () => (await import('../views/wiring/wiring.tsx')).Wiring,
  },
  {
    // The key is c for clients and credentials, because a is the key of the actors.
    title: 'Access',
    path: ['access'],
    key: 'c',
    load: async () => (await import('../views/access/access.tsx')).Access,
  },
];

export const viewOf = ({ path }: Place): View | undefined =>
  views.find((view) => (view.path[0] ?? '') === (path[0] ?? ''));
