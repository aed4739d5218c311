import { expect, test } from 'vitest'
import { moveLine, MoveLines } from '../../src/cli/database/move-lines.ts'
import type { MoveProgress } from '../../src/storage/move/move-database.ts'

const copying = (copied: number): MoveProgress => ({
  step: 'copying',
  table: 'messages',
  rows: { copied, total: 1_000_000 },
})

test('a line says what is copied, how fast it goes, and how long it takes still', () => {
  expect(moveLine(copying(500_000), { rows: 400_000, tookMs: 4_000 })).toBe(
    'copying messages: 500,000 of 1,000,000 rows (50%), 25,000 rows/s, 20 s left',
  )
  expect(moveLine(copying(400_100), { rows: 400_000, tookMs: 1_000 })).toContain('100 rows/s, 100 min left')
})

test('before a second has passed nobody knows how long it takes', () => {
  const plain = 'copying messages: 500,000 of 1,000,000 rows (50%)'
  expect(moveLine(copying(500_000), { rows: 400_000, tookMs: 999 })).toBe(plain)
  expect(moveLine(copying(500_000), { rows: 500_000, tookMs: 5_000 })).toBe(plain)
  expect(moveLine(copying(500_000), null)).toBe(plain)
})

function watch(out: { isTTY?: boolean; columns?: number }) {
  let nowMs = 0
  const written: string[] = []
  const stdout = { ...out, write: (text: string) => void written.push(text) }
  const lines = new MoveLines(stdout, () => nowMs)
  return { lines, written, turn: (byMs: number) => void (nowMs += byMs) }
}

test('on a terminal one line is drawn over, a few times a second, and cut to its width', () => {
  const { lines, written, turn } = watch({ isTTY: true, columns: 31 })
  for (let i = 0; i < 10; i++) {
    turn(100)
    lines.show(copying(400_000 + i * 1_000))
  }
  lines.end()
  lines.end()
  expect(written).toHaveLength(6)
  expect(written[0]).toBe('\rcopying messages: 400,000 of 1\u001b[K')
  expect(written.at(-1)).toBe('\n')
})

test('elsewhere a line stands for each step, and for each ten seconds of one', () => {
  const { lines, written, turn } = watch({})
  const counting = { step: 'counting', table: null, rows: { copied: 0, total: 0 } } as const
  lines.show(counting)
  for (let i = 0; i < 25; i++) {
    lines.show(copying(400_000 + i))
    turn(1_000)
  }
  lines.show({ ...counting, step: 'comparing' })
  lines.end()
  expect(written.map((line) => line.slice(0, 8))).toEqual([
    'counting',
    'copying ',
    'copying ',
    'copying ',
    'comparin',
  ])
  expect(written.every((line) => line.endsWith('\n'))).toBe(true)
})
