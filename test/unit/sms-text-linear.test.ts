import { expect, test } from 'vitest'
import {
  applySmartEncoding,
  countPartsIfGsm7,
  findTextFault,
  measureText,
  normalizeText,
  offendingCharacters,
  splitText,
} from '../../src/sms/sms-text.ts'
import { clustersOf } from '../sms-samples.ts'

const HOSTILE: Record<string, (size: number) => string> = {
  'one cluster of combining marks': (size) => `e${'\u0301'.repeat(size)}`,
  'combining marks in the wrong order': (size) => `e${'\u0301\u0316'.repeat(size / 2)}`,
  'runs of marks just short of the limit': (size) => `e${'\u0301'.repeat(255)}`.repeat(size / 256),
  'clusters just longer than a part': (size) => `e${'\u0301'.repeat(67)}`.repeat(size / 68),
  'families joined by ZWJ': (size) => '👨‍👩‍👧‍👦'.repeat(size / 11),
  'one endless family': (size) => '👨\u200d'.repeat(size / 3),
  flags: (size) => '🇮🇹'.repeat(size / 4),
  conjuncts: (size) => 'क्ष'.repeat(size / 3),
  'extension characters': (size) => '€'.repeat(size),
  blanks: (size) => '\u200b'.repeat(size),
}

const WORK: Record<string, (text: string) => unknown> = {
  measureText: (text) => measureText(text, 'auto'),
  splitText: (text) => splitText(text, 'ucs2'),
  normalizeText,
  findTextFault,
  offendingCharacters,
  applySmartEncoding,
  countPartsIfGsm7,
}

test.each(Object.entries(HOSTILE))('takes linear time on %s', (_, make) => {
  const slow = Object.entries(WORK).filter(([, work]) => !growsLinearly(work, make, 12_500))
  expect(slow.map(([name]) => name)).toEqual([])
})

test('the check for linear time is not blind to a splitter that starts over at each part', () => {
  const startsOver = (text: string) => {
    for (let end = 0; end < text.length; end += 67) clustersOf(text.slice(0, end))
  }
  expect(growsLinearly(startsOver, (size) => 'я'.repeat(size), 1_000)).toBe(false)
})

/** Whether sixteen times the text takes less than sixty-four times as long (quadratic: 256), or too little time to tell. */
function growsLinearly(
  work: (text: string) => unknown,
  make: (size: number) => string,
  size: number,
): boolean {
  const large = make(size * 16)
  const firstMs = fastestMs(1, work, large)
  if (firstMs < 100) return true
  const maxMs = 64 * fastestMs(3, work, make(size))
  return firstMs < maxMs || fastestMs(2, work, large) < maxMs
}

/** Processor time, not time on the wall: other tests run beside this one. */
function fastestMs(runs: number, work: (text: string) => unknown, text: string): number {
  const timesMs = Array.from({ length: runs }, () => {
    const before = process.cpuUsage()
    work(text)
    return process.cpuUsage(before).user / 1_000
  })
  return Math.min(...timesMs)
}
