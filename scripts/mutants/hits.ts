import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'

/** Keeps which blocks of `instrument` each test file reaches, by their places in one list. A set-up file: it runs before each of them. */
declare module 'vitest' {
  interface ProvidedContext {
    /** Where they are kept, a file for each test file. */
    hitsFolder: string
  }
}
declare global {
  var onesixtyBlocks: 1[] | undefined
}

const blocks: 1[] = []
globalThis.onesixtyBlocks = blocks
const marked = (): number[] => Object.keys(blocks).map(Number)

/** What ran as modules were loaded: of several test files only the first one sees it. */
let loaded: number[] = []
beforeAll(() => {
  loaded = marked()
})

afterAll(() => {
  const { testPath = '' } = expect.getState()
  const name = createHash('sha256').update(testPath).digest('hex')
  writeFileSync(
    join(inject('hitsFolder'), `${name}.json`),
    JSON.stringify({ testPath, found: marked(), loaded }),
  )
})
