// The lines of the graph as SVG paths, and the navigation by arrow keys.
import type { Line, Placed } from './layout.ts';

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** A smooth line through the points of an edge, which is horizontal in each of them. */
export const pathOf = ({ points }: Pick<Line, 'points'>): string =>
  points
    .map(({ x, y }, at) => {
      const before = points[at - 1];
      if (before === undefined) return `M${rounded(x)} ${rounded(y)}`;
      const middle = rounded((before.x + x) / 2);
      return `C${middle} ${rounded(before.y)} ${middle} ${rounded(y)} ${rounded(x)} ${rounded(y)}`;
    })
    .join('');

export const tipOf = ({ points }: Pick<Line, 'points'>): string => {
  const [from, to] = points.slice(-2);
  if (from === undefined || to === undefined) return '';
  return `translate(${rounded(to.x)} ${rounded(to.y)}) rotate(${to.x < from.x ? 180 : 0})`;
};

/** Width of the line of an edge: more for more events, but never so much that it hides others. */
export const strokeOf = (sent: number): number => rounded(1.25 + Math.min(3, Math.log2(1 + sent) / 2));

export interface Stop {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export const stopsOf = ({ nodes, edges }: Placed, isStop: (id: string) => boolean): readonly Stop[] => [
  ...[...nodes].flatMap(([id, { x, y, width, height }]) =>
    isStop(id) ? [{ id, x: x + width / 2, y: y + height / 2 }] : [],
  ),
  ...[...edges].map(([id, { label }]) => ({ id, ...label })),
];

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/**
 * The nearest element in the direction of an arrow key. An element straight ahead counts as nearer than one off to the
 * side.
 */
export const stopAt = (stops: readonly Stop[], id: string, key: string): Stop | undefined => {
  const from = stops.find((stop) => stop.id === id);
  const direction = Object.hasOwn(DIRECTIONS, key) ? DIRECTIONS[key] : undefined;
  if (from === undefined || direction === undefined) return undefined;
  const [dx, dy] = direction;
  let best: { readonly stop: Stop; readonly far: number } | undefined;
  for (const stop of stops) {
    const ahead = (stop.x - from.x) * dx + (stop.y - from.y) * dy;
    const aside = Math.abs((stop.x - from.x) * dy) + Math.abs((stop.y - from.y) * dx);
    if (ahead <= 1 || aside > 3 * ahead) continue;
    const far = ahead + 2 * aside;
    if (best === undefined || far < best.far) best = { stop, far };
  }
  return best?.stop;
};
