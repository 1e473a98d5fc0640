// Executions per minute of the last hour. The library is loaded with the first chart.
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { shownTheme } from '../../shell/theme.ts';

export interface Minute {
  readonly time: string;
  readonly ended: number;
  readonly failed: number;
}

const HALF_MINUTE_S = 30;

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const dataOf = (minutes: readonly Minute[]): uPlot.AlignedData => [
  minutes.map(({ time }) => Date.parse(time) / 1_000),
  minutes.map(({ ended }) => ended),
  minutes.map(({ failed }) => failed),
];

const optionsOf = (Plot: typeof uPlot, width: number): uPlot.Options => {
  const bars = Plot.paths.bars?.({ size: [0.7, 24] });
  const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const series = (stroke: string) => ({
    stroke,
    fill: stroke,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  });
  return {
    width,
    height: 150,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      // A bar is centred on its minute, so half of the first and of the last bar lies outside these limits.
      x: { range: (_, first, last) => [first - HALF_MINUTE_S, last + HALF_MINUTE_S] },
      y: { range: (_, _low, high) => [0, Math.max(4, high)] },
    },
    axes: [
      { ...axis, font, grid: { show: false }, size: 26, values: (_, ticks) => ticks.map(clock) },
      { ...axis, font, size: 36 },
    ],
    series: [{}, series(color('--accent')), series(color('--bad'))],
  };
};

const clock = (seconds: number): string => {
  const at = new Date(seconds * 1_000);
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
};

export const MinutesChart = ({ minutes }: { readonly minutes: readonly Minute[] }) => {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(minutes);
  latest.current = minutes;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let gone = false;
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: 150 }));
    const draw = async (): Promise<void> => {
      const { default: Plot } = await import('uplot');
      if (gone) return;
      plot.current?.destroy();
      plot.current = new Plot(optionsOf(Plot, element.clientWidth), dataOf(latest.current), element);
    };
    const redraw = (): void => void draw().catch(() => undefined);
    observer.observe(element);
    const stop = effect(() => {
      void shownTheme.value;
      redraw();
    });
    return () => {
      gone = true;
      observer.disconnect();
      stop();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf(minutes)), [minutes]);
  const ended = minutes.reduce((sum, minute) => sum + minute.ended, 0);
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  return (
    <figure>
      <div class="chart" ref={box} aria-hidden="true" />
      <figcaption class="visually-hidden">
        {ended} executions ended in the last hour, {failed} of them failed.
      </figcaption>
    </figure>
  );
};
