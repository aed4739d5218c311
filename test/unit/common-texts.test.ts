import { expect, test } from 'vitest'
import { CommonTexts } from '../../src/storage/postgres/postgres-together.ts'

/** How many of so many uses of each text ask for a prepared statement. */
const preparedOf = (common: CommonTexts, texts: readonly string[], uses: number): string[] => {
  const prepared = new Set<string>()
  for (let i = 0; i < uses; i++) for (const text of texts) if (common.use(text)) prepared.add(text)
  return [...prepared]
}

const texts = (amount: number): string[] => Array.from({ length: amount }, (_, i) => `with p${i}`)

test('a text is prepared once it has come thirty times, and from then on', () => {
  const common = new CommonTexts()
  expect(preparedOf(common, ['with a'], 29)).toEqual([])
  expect([common.use('with a'), common.use('with a')]).toEqual([true, true])
})

test('a connection keeps at most sixty-four of them, the first that came so often', () => {
  const common = new CommonTexts()
  expect(preparedOf(common, texts(100), 40)).toEqual(texts(64))
  expect(common.use('with p99')).toBe(false)
  expect(common.use('with p0')).toBe(true)
})

test('rare texts are forgotten in the end, and common ones are not', () => {
  const common = new CommonTexts()
  preparedOf(common, ['with a'], 30)
  preparedOf(common, texts(1_000), 1)
  preparedOf(common, ['with rare'], 20)
  preparedOf(common, texts(1_000), 1)
  expect(preparedOf(common, ['with rare'], 20)).toEqual([])
  expect(common.use('with a')).toBe(true)
})
