// Drags from one actor of the graph to another, to connect them.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A line that is being drawn, in pixels of the window from the corner of the graph. */
export interface DrawnLine {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
}

/** A shorter way of the mouse is a click. */
const LEAST_WAY = 8;

const actorAt = (element: Element | null): string | undefined =>
  element?.closest<HTMLElement>('a.wire-node')?.dataset['stop'];

/** @param onConnect receives the ids of the actor where the drag began and of the one where it ended */
export const useConnecting = (
  box: RefObject<HTMLElement | null>,
  plane: RefObject<HTMLElement | null>,
  onConnect: (from: string, to: string) => void,
): ReadonlySignal<DrawnLine | undefined> => {
  const line = useSignal<DrawnLine | undefined>(undefined);
  const newest = useRef(onConnect);
  newest.current = onConnect;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let begin: { readonly id: string; readonly node: Element; readonly x: number; readonly y: number } | undefined;
    const stop = (): void => {
      begin = undefined;
      line.value = undefined;
    };
    const pressed = ({ target, pointerType, button, clientX: x, clientY: y }: PointerEvent): void => {
      const node = target instanceof Element ? target.closest('a.wire-node') : null;
      const id = actorAt(node);
      if (node !== null && id !== undefined && pointerType === 'mouse' && button === 0) begin = { id, node, x, y };
    };
    const moved = ({ clientX, clientY, pointerId }: PointerEvent): void => {
      if (begin === undefined || plane.current === null) return;
      const { node, x, y } = begin;
      if (line.value === undefined && Math.hypot(clientX - x, clientY - y) < LEAST_WAY) return;
      node.setPointerCapture(pointerId);
      const { left, top } = plane.current.getBoundingClientRect();
      line.value = { from: [x - left, y - top], to: [clientX - left, clientY - top] };
    };
    const released = ({ clientX, clientY }: PointerEvent): void => {
      const from = begin?.id;
      const isDrag = line.value !== undefined;
      stop();
      const to = actorAt(document.elementFromPoint(clientX, clientY));
      if (!isDrag || from === undefined) return;
      // The click that follows would open the page of the actor.
      const swallow = (event: MouseEvent): void => event.preventDefault();
      element.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => element.removeEventListener('click', swallow, { capture: true }));
      if (to !== undefined && to !== from) newest.current(from, to);
    };
    const keyed = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') stop();
    };
    element.addEventListener('pointerdown', pressed);
    element.addEventListener('pointermove', moved);
    element.addEventListener('pointerup', released);
    element.addEventListener('pointercancel', stop);
    document.addEventListener('keydown', keyed);
    return () => {
      element.removeEventListener('pointerdown', pressed);
      element.removeEventListener('pointermove', moved);
      element.removeEventListener('pointerup', released);
      element.removeEventListener('pointercancel', stop);
      document.removeEventListener('keydown', keyed);
    };
  }, [box, plane, line]);
  return line;
};
