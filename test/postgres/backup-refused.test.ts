import { expect, test } from 'vitest'
import { openCli } from '../cli/run-cli.ts'

test('a file is neither made nor put in place of a database on a server, and what to do instead is said', async () => {
  const cli = await openCli()
  const remedies = { backup: 'pg_dump', restore: 'tools of PostgreSQL' }
  for (const [command, remedy] of Object.entries(remedies)) {
    const { code, stdout, stderr } = await cli.run(`${command} ${cli.dataFolder}/copy --json`)
    expect([code, stdout]).toEqual([1, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'not_embedded', message: expect.stringContaining(remedy) },
    })
  }
  await cli.close()
})
