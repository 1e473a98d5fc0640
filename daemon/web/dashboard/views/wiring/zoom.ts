// The zoom of the graph.

const LEAST = 0.1;
const MOST = 2;
/** Minimum initial zoom. Smaller text is not readable, so a larger graph is scrolled instead. */
const READABLE = 0.85;

interface Size {
  readonly width: number;
  readonly height: number;
}

export const limited = (zoom: number): number => Math.min(MOST, Math.max(LEAST, zoom));

/** The zoom that shows the whole graph. A small graph is not enlarged. */
export const fitting = (graph: Size, box: Size): number =>
  limited(Math.min(1, box.width / graph.width, box.height / graph.height));

/** The initial zoom: the width fits, if the text stays readable. */
export const beginning = (graph: Size, box: Size): number => Math.max(READABLE, Math.min(1, box.width / graph.width));
