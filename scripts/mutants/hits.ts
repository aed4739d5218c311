import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject } from 'vitest'

/** Keeps which blocks of `instrument` each test file reaches. A set-up file: it runs before each of them. */
declare module 'vitest' {
  interface ProvidedContext {
    /** Where they are kept, a file for each test file. */
    hitsFolder: string
  }
}
declare global {
  var onesixtyBlockRuns: ((file: string, block: number) => void) | undefined
}

const hits = new Map<string, Set<number>>()
globalThis.onesixtyBlockRuns = (file, block) => {
  const known = hits.get(file)
  if (known === undefined) hits.set(file, new Set([block]))
  else known.add(block)
}

afterAll(() => {
  const { testPath = '' } = expect.getState()
  const name = createHash('sha256').update(testPath).digest('hex')
  const found = Object.fromEntries([...hits].map(([file, blocks]) => [file, [...blocks]]))
  writeFileSync(join(inject('hitsFolder'), `${name}.json`), JSON.stringify({ testPath, found }))
})
