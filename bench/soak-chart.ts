import { drawLines } from './line-chart.ts'
import type { SoakSample } from './soak-watch.ts'

/** The samples of a soak as an SVG: MB against seconds. */
export const drawSoak = (samples: readonly SoakSample[]): string =>
  drawLines({
    summary: 'Resident memory and write-ahead log during the soak',
    xUnit: 's',
    series: [
      {
        name: 'resident memory, MB',
        points: samples.map((sample) => [sample.atSeconds, sample.residentMegabytes]),
      },
      {
        name: 'write-ahead log, MB',
        points: samples.map((sample) => [sample.atSeconds, sample.walMegabytes]),
      },
    ],
  })
