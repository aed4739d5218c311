import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from './start-console.ts'

test('a call of the console has a body of one MiB at most, whoever asks', async () => {
  const house = await startConsole()
  onTestFinished(() => house.stop())
  const ask = async (bytes: number) => {
    const around = JSON.stringify({ email: '' }).length
    const answer = await fetch(`${house.url}/console/api/session/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: house.url },
      body: JSON.stringify({ email: 'a'.repeat(bytes - around) }),
    })
    return [answer.status, ((await answer.json()) as { code: string }).code]
  }
  const mebibyte = 1024 * 1024
  expect(await ask(mebibyte)).toEqual([422, 'validation_failed'])
  expect(await ask(mebibyte + 1)).toEqual([413, 'payload_too_large'])
})
