import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a run that failed says so, also after the PostgreSQL of the tests was there', async () => {
  const ends = ['process.exitCode = 1', 'process.exit(3)', '']
  expect(await Promise.all(ends.map(exitCodeOf))).toEqual([1, 3, 0])
})

/** Of a process that has loaded the server of the tests and then does something. */
function exitCodeOf(code: string): Promise<number | null> {
  const server = join(import.meta.dirname, '../postgres-server.ts')
  const script = `await import(${JSON.stringify(server)}); ${code}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
  return new Promise((resolve) => child.once('close', resolve))
}
