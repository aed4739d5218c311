import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findUcs2PartEnds, isPlain } from '../../src/sms/ucs2.ts'
import { scalarValue } from '../scalar-value.ts'
import { anyText, clustersOf } from '../sms-samples.ts'

test('the parts are those of a splitter that walks over every cluster', () => {
  let oversized = 0
  fc.assert(
    fc.property(anyText, (text) => {
      const clusters = clustersOf(text)
      if (clusters.some((cluster) => cluster.length > 67)) oversized++
      expect(partsOf(text)).toEqual(splitByWalking(clusters))
    }),
    { numRuns: 2000 },
  )
  expect(oversized).toBeGreaterThan(100)
})

test('flags behind an oversized cluster that ended in half a flag are not paired anew', () => {
  const text = `${'\u0600'.repeat(65)}🇮🇹${'🇩🇪'.repeat(40)}`
  expect(partsOf(text)).toEqual(splitByWalking(clustersOf(text)))
})

test('random UTF-16, lone surrogates included, is cut into parts of 67 units at most that hold all of it', () => {
  let malformed = 0
  const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))
  const character = fc.oneof({ weight: 9, arbitrary: scalarValue }, { weight: 1, arbitrary: half })
  fc.assert(
    fc.property(fc.string({ unit: character, size: 'max', maxLength: 300 }), (text) => {
      if (!text.isWellFormed()) malformed++
      const parts = partsOf(text)
      expect(parts.join('')).toBe(text)
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(67)
    }),
  )
  expect(malformed).toBeGreaterThan(20)
})

// NFC's quick check (UAX #15) and the rules of clusters (UAX #29) see a neighbour only through its properties,
// of which plain characters have few: one neighbour of each kind stands for all.
test('a plain character is stable under NFC and a cluster of its own beside every other plain one', () => {
  const plain = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(isPlain)
  expect(plain.length).toBeGreaterThan(30_000)
  const unstable = plain.filter((character) => {
    const row = `a${character}\n${character}가${character}${character}中`
    return clustersOf(row).length !== row.length || row.normalize('NFC') !== row
  })
  expect(unstable).toEqual([])
})

test('what joins others is not plain', () => {
  const joining = '\u0301\u3099\u1100\u1161\u11a8\u200d\ufe0f\u0600\u0915©®\r\u00ad\ud83d.\ude00'.split('')
  expect(joining.filter(isPlain)).toEqual(['.'])
})

function partsOf(text: string): string[] {
  const ends = findUcs2PartEnds(text)
  return ends.map((end, part) => text.slice(ends[part - 1] ?? 0, end))
}

/** The rule word for word: clusters, those longer than a part as code points, filled greedily. */
function splitByWalking(clusters: readonly string[]): string[] {
  const parts = ['']
  for (const token of clusters.flatMap((cluster) => (cluster.length > 67 ? [...cluster] : [cluster]))) {
    if ((parts.at(-1) ?? '').length + token.length > 67) parts.push('')
    parts[parts.length - 1] += token
  }
  return parts
}
