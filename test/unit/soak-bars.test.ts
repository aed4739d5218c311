import { expect, test } from 'vitest'
import { judgeSoak, type Soaked } from '../../bench/soak-bars.ts'

const samples = Array.from({ length: 100 }, (_, i) => ({
  atSeconds: i,
  residentMegabytes: 250,
  databaseMegabytes: 10 * i,
  walMegabytes: 16,
  openFiles: 90,
}))
const sound: Soaked = {
  samples,
  collectedMegabytes: [230, 234],
  undelivered: 0,
  overdueTexts: 0,
  overdueRecords: 0,
  faults: [],
}
const from = (first: number, change: Partial<(typeof samples)[number]>) =>
  samples.map((sample, i) => (i < first ? sample : { ...sample, ...change }))

test('a soak that keeps within every bar holds', () => {
  expect(judgeSoak(sound)).toMatchObject({ holds: true })
})

test.each<[string, Soaked]>([
  ['resident memory is too high', { ...sound, samples: from(10, { residentMegabytes: 301 }) }],
  ['resident memory goes on growing', { ...sound, collectedMegabytes: [230, 235.1] }],
  ['resident memory goes on growing', { ...sound, collectedMegabytes: [230, NaN] }],
  ['the write-ahead log is too long', { ...sound, samples: from(99, { walMegabytes: 65 }) }],
  ['files stay open', { ...sound, samples: from(60, { openFiles: 95 }) }],
  ['messages are not delivered in time', { ...sound, undelivered: 1 }],
  ['messages are delivered that nobody sent', { ...sound, undelivered: -1 }],
  ['texts are not erased', { ...sound, overdueTexts: 1 }],
  ['messages are not removed', { ...sound, overdueRecords: 1 }],
  ['the doctor finds faults', { ...sound, faults: ['sums'] }],
])('a soak does not hold when %s', (missed, soaked) => {
  const { holds, summary } = judgeSoak(soaked)
  expect({ holds, missed: summary.split('; ').slice(1) }).toEqual({ holds: false, missed: [missed] })
})
