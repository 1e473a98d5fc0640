// Drags the graph with the mouse. While zooming, the point under the pointer, or the middle, stays in place.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Anchor {
  readonly graph: readonly [x: number, y: number];
  /** Position in the box. */
  readonly box: readonly [x: number, y: number];
}

/** A turn of the wheel by this many pixels doubles the zoom. */
const DOUBLED_BY = 400;

export const usePanning = (
  box: RefObject<HTMLElement | null>,
  zoom: number,
  scale: (factor: number) => void,
): { readonly zoomBy: (factor: number) => void } => {
  const anchor = useRef<Anchor | undefined>(undefined);
  const zoomAt = (factor: number, x: number, y: number): void => {
    const element = box.current;
    if (element === null) return;
    anchor.current = { graph: [(element.scrollLeft + x) / zoom, (element.scrollTop + y) / zoom], box: [x, y] };
    scale(factor);
  };
  const newest = useRef(zoomAt);
  newest.current = zoomAt;
  useLayoutEffect(() => {
    if (box.current === null || anchor.current === undefined) return;
    const { graph, box: at } = anchor.current;
    anchor.current = undefined;
    box.current.scrollTo(graph[0] * zoom - at[0], graph[1] * zoom - at[1]);
  }, [box, zoom]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const turned = (event: WheelEvent): void => {
      // Without Ctrl the wheel scrolls. A pinch on a touchpad is sent as a wheel with Ctrl.
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      newest.current(2 ** (-event.deltaY / DOUBLED_BY), event.clientX - left, event.clientY - top);
    };
    const pressed = (event: PointerEvent): void => {
      const isOnEdgeOrNode = event.target instanceof Element && event.target.closest('a, [data-edge]') !== null;
      if (event.pointerType !== 'mouse' || event.button !== 0 || isOnEdgeOrNode) return;
      element.setPointerCapture(event.pointerId);
    };
    const moved = (event: PointerEvent): void => {
      if (element.hasPointerCapture(event.pointerId)) element.scrollBy(-event.movementX, -event.movementY);
    };
    element.addEventListener('wheel', turned, { passive: false });
    element.addEventListener('pointerdown', pressed);
    element.addEventListener('pointermove', moved);
    return () => {
      element.removeEventListener('wheel', turned);
      element.removeEventListener('pointerdown', pressed);
      element.removeEventListener('pointermove', moved);
    };
  }, [box]);
  return {
    zoomBy: (factor) => {
      const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
      zoomAt(factor, clientWidth / 2, clientHeight / 2);
    },
  };
};
