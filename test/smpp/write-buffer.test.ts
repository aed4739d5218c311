import { expect, test } from 'vitest'
import { WriteBuffer } from '../../src/smpp/codec/write-buffer.ts'
import { turns } from './session-fixture.ts'

/** A buffer whose writes are done when the test says so. */
function startBuffer() {
  const written: string[] = []
  let done: () => void = () => undefined
  const buffer = new WriteBuffer((pieces, finished) => {
    written.push(Buffer.concat(pieces).toString())
    done = finished
  })
  return {
    buffer,
    written,
    put(text: string): void {
      const sink = buffer.sinkFor(text.length)
      sink.at += sink.bytes.write(text, sink.at)
      buffer.flushSoon()
    },
    finish: () => done(),
  }
}

test('all of a turn is one write, and what comes during a write is the next one', async () => {
  const { buffer, written, put, finish } = startBuffer()
  put('a')
  put('b')
  expect([written, buffer.waitingBytes]).toEqual([[], 2])
  await turns(1)
  expect([written, buffer.waitingBytes, buffer.isWriting]).toEqual([['ab'], 0, true])
  put('c')
  put('d')
  await turns(2)
  expect([written, buffer.waitingBytes]).toEqual([['ab'], 2])
  finish()
  expect(written).toEqual(['ab', 'cd'])
  finish()
  expect(buffer.isWriting).toBe(false)
})

test('what is larger than the buffer, and what does not fit behind the rest, is written whole and in order', async () => {
  const { written, put } = startBuffer()
  const texts = ['a', 'b'.repeat(70_000), 'c'.repeat(40_000), 'd'.repeat(40_000)]
  for (const text of texts) put(text)
  await turns(1)
  expect(written).toEqual([texts.join('')])
})

test('one buffer serves for ever, and none that is still being written is touched', async () => {
  const { buffer, written, put, finish } = startBuffer()
  const { bytes } = buffer.sinkFor(1)
  for (let i = 0; i < 100; i++) {
    put('x'.repeat(3_000))
    await turns(1)
    finish()
  }
  expect([buffer.sinkFor(1).bytes === bytes, written.length]).toEqual([true, 100])
  put('first')
  await turns(1)
  const behind = buffer.sinkFor(1)
  expect(behind.at).toBe(5)
  finish()
  expect(buffer.sinkFor(1).at).toBe(0)
})

test('what is discarded never leaves', async () => {
  const { buffer, written, put, finish } = startBuffer()
  put('a')
  buffer.discard()
  put('b')
  buffer.flush()
  await turns(2)
  finish()
  expect([written, buffer.waitingBytes]).toEqual([['b'], 0])
})
