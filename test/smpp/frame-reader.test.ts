import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePdu } from '../../src/smpp/codec/decode-pdu.ts'
import { FrameReader } from '../../src/smpp/codec/frame-reader.ts'
import { defaultSessionLimits } from '../../src/smpp/session/session-limits.ts'
import type { Pdu } from '../../src/smpp/codec/pdu.ts'
import { anyPdu, bytesOf, octets } from './pdu-arbitraries.ts'

const enquireLink: Pdu = { command: 'enquire_link', status: 0, sequence: 3, body: null }

/** Every frame there is by now, copied; `lost` ends the list. */
function takeAll(reader: FrameReader): (Buffer | 'lost')[] {
  const frames: (Buffer | 'lost')[] = []
  for (let frame = reader.next(); frame !== null; frame = reader.next()) {
    if (frame === 'lost') return [...frames, 'lost']
    frames.push(Buffer.from(frame.bytes.subarray(frame.start, frame.end)))
  }
  return frames
}

/** `bytes` cut at the given places. */
function sliced(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

test('a stream gives the same PDUs whatever slices it comes in', () => {
  fc.assert(
    fc.property(fc.array(anyPdu, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 30 }), (pdus, cuts) => {
      const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
      const seen: unknown[] = []
      for (const slice of sliced(Buffer.concat(pdus.map(bytesOf)), cuts)) {
        reader.push(slice)
        for (const frame of takeAll(reader)) seen.push(decodePdu(frame as Buffer, 0, frame.length))
      }
      expect(seen).toEqual(pdus)
    }),
    { numRuns: 500 },
  )
})

test('a stream that comes octet by octet gives its PDUs as soon as each is whole', () => {
  const bytes = Buffer.concat([bytesOf(enquireLink), bytesOf(enquireLink)])
  const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
  const wholeAt = [...bytes.keys()].filter((i) => {
    reader.push(bytes.subarray(i, i + 1))
    return takeAll(reader).length > 0
  })
  expect(wholeAt).toEqual([15, 31])
})

test('what was read before stays as it was when more comes', () => {
  const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
  const first = bytesOf({ ...enquireLink, sequence: 1 })
  const second = bytesOf({ ...enquireLink, sequence: 2 })
  reader.push(first.subarray(0, 10))
  expect(reader.next()).toBeNull()
  reader.push(Buffer.concat([first.subarray(10), second.subarray(0, 12)]))
  const frame = reader.next()
  if (frame === null || frame === 'lost') throw new Error('the first PDU is whole')
  const view = frame.bytes.subarray(frame.start, frame.end)
  expect(reader.next()).toBeNull()
  reader.push(second.subarray(12))
  reader.next()
  expect(view).toEqual(first)
})

test('chunks that come before the last one was read are kept in their order', () => {
  const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
  const pdus = [1, 2, 3, 4].map((sequence) => bytesOf({ ...enquireLink, sequence }))
  reader.push(Buffer.concat(pdus.slice(0, 2)))
  const first = reader.next()
  expect(first).not.toBeNull()
  reader.push(Buffer.concat(pdus.slice(2)))
  expect(takeAll(reader)).toEqual(pdus.slice(1))
})

test('a length below 16 or above the limit loses the framing for good', () => {
  for (const length of [0, 8, 15, 1_001, 0x7fff_ffff, 0xffff_ffff]) {
    const header = Buffer.alloc(16)
    header.writeUInt32BE(length)
    for (const cuts of [[], [1], [4], [5]]) {
      const reader = new FrameReader(1_000)
      reader.push(bytesOf(enquireLink))
      const seen: unknown[] = takeAll(reader)
      for (const slice of sliced(header, cuts)) {
        reader.push(slice)
        seen.push(...takeAll(reader))
      }
      reader.push(bytesOf(enquireLink))
      expect([seen.length > 1, seen[1], reader.next(), reader.isInsideFrame]).toEqual([
        true,
        'lost',
        'lost',
        false,
      ])
    }
  }
})

test('memory grows with what has come, not with what a length announces', () => {
  const header = Buffer.alloc(20)
  header.writeUInt32BE(70_000)
  const before = process.memoryUsage().arrayBuffers
  const readers = Array.from({ length: 2_000 }, () => {
    const reader = new FrameReader(defaultSessionLimits.maxPduBytes)
    reader.push(Buffer.from(header))
    expect([reader.next(), reader.isInsideFrame]).toEqual([null, true])
    return reader
  })
  // 2,000 × 70,000 would be 140 MB.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
  expect(readers).toHaveLength(2_000)
})

test('garbage in any slices is PDUs until the framing is lost, never an exception', () => {
  const shortFrame = octets(40).map((body) => Buffer.concat([Buffer.from([0, 0, 0, 16 + body.length]), body]))
  const garbage = fc
    .array(fc.oneof(shortFrame, shortFrame, octets(40)), { maxLength: 12 })
    .map((all) => Buffer.concat(all))
  fc.assert(
    fc.property(garbage, fc.array(fc.nat(), { maxLength: 10 }), (bytes, cuts) => {
      const read = (slices: Buffer[]): unknown[] => {
        const reader = new FrameReader(200)
        return slices.flatMap((slice) => {
          reader.push(slice)
          return takeAll(reader)
        })
      }
      const once = (frames: unknown[]): unknown[] => frames.slice(0, frames.indexOf('lost') + 1 || undefined)
      expect(once(read(sliced(bytes, cuts)))).toEqual(once(read([bytes])))
    }),
    { numRuns: 2_000 },
  )
})
