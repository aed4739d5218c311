import type { SoakSample } from './soak-watch.ts'

/** What a soak came to. */
export interface Soaked {
  samples: readonly SoakSample[]
  /**
   * What was resident when the messages had ended, and when half as many again had, each time once all garbage was collected: it comes and goes by
   * more than what is to be seen (docs/decisions/0037).
   */
  collectedMegabytes: readonly [before: number, after: number]
  /** Messages that were not sent, or not delivered, in time; below 0 where more were delivered than anybody sent. */
  undelivered: number
  /** Texts that retention should have erased by the end. */
  overdueTexts: number
  /** Messages that it should have removed. */
  overdueRecords: number
  /** What the doctor found at the end. */
  faults: readonly string[]
}

const megabytes = (value: number): string => `${value.toFixed(1)} MB`

/** Each bar: what is held against it, the most that it may be, how it is said, and what is wrong where it is more. */
const bars: readonly {
  of: (soaked: Soaked) => number
  most: number
  summary: (is: number, most: number) => string
  missed: string
}[] = [
  {
    of: ({ samples }) => Math.max(...samples.map((sample) => sample.residentMegabytes)),
    most: 300,
    summary: (is, most) => `resident ${megabytes(is)} at most (≤ ${most})`,
    missed: 'resident memory is too high',
  },
  {
    of: ({ collectedMegabytes: [before, after] }) => after - before,
    most: 5,
    summary: (is, most) => `${megabytes(is)} more without garbage after half as many again (≤ ${most})`,
    missed: 'resident memory goes on growing',
  },
  {
    of: ({ samples }) => Math.max(...samples.map((sample) => sample.walMegabytes)),
    most: 64,
    summary: (is, most) => `write-ahead log ${megabytes(is)} at most (≤ ${most})`,
    missed: 'the write-ahead log is too long',
  },
  {
    of: ({ samples }) => {
      const most = (some: readonly SoakSample[]): number =>
        Math.max(...some.map(({ openFiles }) => openFiles))
      const half = Math.floor(samples.length / 2)
      return most(samples.slice(half)) - most(samples.slice(0, half))
    },
    most: 4,
    summary: (is, most) => `${is} open files more in the second half than in the first (≤ ${most})`,
    missed: 'files stay open',
  },
  {
    of: ({ undelivered }) => Math.max(0, undelivered),
    most: 0,
    summary: (is) => `${is.toLocaleString('en')} messages undelivered`,
    missed: 'messages are not delivered in time',
  },
  {
    of: ({ undelivered }) => Math.max(0, -undelivered),
    most: 0,
    summary: (is) => `${is.toLocaleString('en')} more delivered than sent`,
    missed: 'messages are delivered that nobody sent',
  },
  {
    of: ({ overdueTexts }) => overdueTexts,
    most: 0,
    summary: (is) => `${is.toLocaleString('en')} texts overdue`,
    missed: 'texts are not erased',
  },
  {
    of: ({ overdueRecords }) => overdueRecords,
    most: 0,
    summary: (is) => `${is.toLocaleString('en')} messages overdue`,
    missed: 'messages are not removed',
  },
  {
    of: ({ faults }) => faults.length,
    most: 0,
    summary: (is) => `${is} faults by the doctor`,
    missed: 'the doctor finds faults',
  },
]

/** Holds a soak against its bars; says all that was seen, and then what is wrong. */
export function judgeSoak(soaked: Soaked): { holds: boolean; summary: string } {
  const seen = bars.map(({ of, most, summary }) => summary(of(soaked), most)).join(', ')
  const missed = bars.filter(({ of, most }) => !(of(soaked) <= most)).map((bar) => bar.missed)
  return { holds: missed.length === 0, summary: [seen, ...missed].join('; ') }
}
