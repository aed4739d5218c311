import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from './start-console.ts'

test('JSON in an address is bounded as JSON in a body is, before anybody has signed in', async () => {
  const house = await startConsole()
  onTestFinished(() => house.stop())
  const ask = async (input: string) => {
    const answer = await fetch(`${house.url}/console/api/session/read?input=${input}`)
    return { status: answer.status, body: (await answer.json()) as { code?: string; detail?: string } }
  }
  const deep = 'is nested deeper than 8 levels'
  /** An address has at most 8 KiB. */
  const most = 4_065
  for (const [input, because] of [
    ['['.repeat(most) + ']'.repeat(most), 'is not a JSON object'],
    ['{"a":' + '['.repeat(most) + ']'.repeat(most) + '}', deep],
    ['{"a":'.repeat(800) + '1' + '}'.repeat(800), deep],
    ['['.repeat(most), 'is not valid JSON'],
    ['', 'is empty'],
    ['{"a":1,"a":2}', 'An object contains a member twice'],
  ] as const)
    expect(await ask(input), input.slice(0, 20)).toMatchObject({
      status: 400,
      body: { code: 'malformed_request', detail: expect.stringContaining(because) },
    })
  expect(await ask('{}')).toMatchObject({ status: 200 })
})
