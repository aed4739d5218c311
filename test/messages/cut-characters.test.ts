import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CodedText, readPieces } from '../../src/sms/coded-text.ts'
import { type InboundHouse, joinMs, openInboundHouse, type Piece, removeAll } from './inbound-house.ts'

let house: InboundHouse
beforeEach(async () => {
  house = await openInboundHouse()
})
afterEach(() => house.close())

/** Pieces of a text in UTF-16 of so many octets each, as a link brings them. */
const ucs2Pieces = (text: string, room: number): Piece[] => {
  const octets = Buffer.from(text, 'utf16le').swap16()
  const total = Math.ceil(octets.length / room)
  return Array.from({ length: total }, (_, i) => {
    const coded: CodedText = {
      octets: octets.subarray(i * room, (i + 1) * room),
      coding: { alphabet: 'ucs2' },
    }
    const fragment = { reference: 9, total, index: i + 1, coded }
    return { index: i + 1, text: readPieces([coded]), fragment }
  })
}
const cyrillic = 'Привет 😀 всем'

test('a unit that is cut between two pieces is read once both are there, in whatever order they come and come again', async () => {
  const pieces = ucs2Pieces(cyrillic, 7)
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(pieces, { minLength: pieces.length }), async (order) => {
      await house.store.writer.write(removeAll)
      for (const piece of order) for (let i = 0; i < 2; i++) await house.receive(piece)
      expect(await house.texts()).toEqual([cyrillic])
    }),
    { numRuns: 20 },
  )
})

test('what comes of half a text in UTF-16 is sound, and other octets under its reference are another message', async () => {
  const [first, second] = ucs2Pieces(cyrillic, 7) as [Piece, Piece]
  await house.receive(first)
  // They read alike but for the half of a unit at their end.
  const octets = Buffer.from(first.fragment!.coded!.octets)
  octets[octets.length - 1] = 0x05
  const coded: CodedText = { octets, coding: { alphabet: 'ucs2' } }
  await house.receive({ ...first, fragment: { ...first.fragment!, coded } })
  expect(await house.texts()).toEqual(['При…'])
  await house.receive(second)
  await house.clock.advance(joinMs)
  await house.closer.sweepAll()
  expect(await house.texts()).toEqual(['При…', 'ПриԲет …'])
})

test('a set of which an earlier release has stored the half is joined, and its repeats are known', async () => {
  const pieces = ucs2Pieces('abcdefghij', 8)
  const [first] = pieces as [Piece]
  await house.receive({ ...first, fragment: { reference: 9, total: pieces.length, index: 1 } })
  for (const piece of [first, ...pieces.slice(1)]) await house.receive(piece)
  expect(await house.texts()).toEqual(['abcdefghij'])
})

test('of a piece no more octets are kept than characters are kept of a message, and controls of none', async () => {
  house.bound({ inboundCharacters: 20 })
  for (const piece of ucs2Pieces('\u0007' + 'Ж'.repeat(50), 80)) await house.receive(piece)
  expect(await house.texts()).toEqual(['Ж'.repeat(19)])
})
