import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, '../../bin/onesixty.js')

/** Has the program see another version of Node.js, and writes the flags that it sets in the place of setting them. */
const asNode = (version: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { syncBuiltinESMExports } from 'node:module'
    import v8 from 'node:v8'
    v8.setFlagsFromString = (flag) => process.stderr.write(flag + '\\n')
    syncBuiltinESMExports()
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
  `)}`

test.each([
  ['24.21.0', ['--wasm-wrapper-tiering-budget=2147483647']],
  ['25.0.0', []],
  ['26.4.1', []],
  ['240.0.0', []],
])('on Node.js %s the program starts with the flags that its engine knows: %j', async (version, flags) => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', asNode(version), program, 'version'],
    { env: {} },
  )
  expect(stdout).toContain('onesixty')
  expect(stderr.split('\n').filter((line) => line.startsWith('--wasm'))).toEqual(flags)
})
