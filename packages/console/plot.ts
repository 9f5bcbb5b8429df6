//! Drawn by uPlot, https://github.com/leeoniya/uPlot: Copyright (c) 2022 Leon Sorokin, MIT License.
import uPlot from 'uplot';
import type { Label, Picture, Stroke } from './pictures.ts';

const FONT_REM = 0.75;

/** Creates a picture in a figure: its legend gives the colours, and its last part the room. */
export function createPlot(figure: HTMLElement, strokes: readonly Stroke[]) {
  const box = figure.lastElementChild instanceof HTMLElement ? figure.lastElementChild : figure;
  let shown: Picture | undefined;
  const colourOf = (selector: string) => getComputedStyle(figure.querySelector(selector) ?? figure).color;
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const size = () => ({ width: box.clientWidth, height: box.clientHeight });
  const axis = (labels: () => readonly Label[], options: uPlot.Axis): uPlot.Axis => ({
    ...options,
    font: `${FONT_REM * rem}px system-ui, sans-serif`,
    stroke: () => colourOf('.hint'),
    splits: () => labels().map(([at]) => at),
    values: () => labels().map(([, text]) => text),
    ticks: { show: false },
  });
  const options: uPlot.Options = {
    ...size(),
    padding: [FONT_REM * rem, 2 * rem, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { time: false, range: (_plot, from, to) => [from, to] },
      y: { range: () => [shown?.least ?? 0, shown?.most ?? 1] },
    },
    axes: [
      axis(() => shown?.across ?? [], { size: 1.5 * rem, gap: 4, grid: { show: false } }),
      axis(() => shown?.up ?? [], {
        size: 3.25 * rem,
        gap: 4,
        grid: { stroke: () => colourOf('.rule'), width: 1 },
      }),
    ],
    series: [
      {},
      ...strokes.map(({ colour, holds, isFilled = false }): uPlot.Series => {
        const paths = uPlot.paths.stepped?.({ align: holds });
        const stroke = () => colourOf(colour);
        const fill = () => stroke().replace('rgb(', 'rgba(').replace(')', ', 0.16)');
        return { stroke, width: 1.5, points: { show: false }, ...(paths && { paths }), ...(isFilled && { fill }) };
      }),
    ],
  };
  const plot = new uPlot(options, undefined, box);
  new ResizeObserver(() => plot.setSize(size())).observe(box);
  return {
    draw: (picture: Picture) => {
      shown = picture;
      plot.setData([[...picture.places], ...picture.lines.map((line) => [...line])]);
    },
  };
}
