import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { setup } from '../../scripts/build-console.ts'
import { createConsoleFiles } from '../../src/api/console/console-files.ts'

const folder = join(import.meta.dirname, '../../console/dist/assets')
let names: string[]
beforeAll(async () => {
  await setup()
  names = globSync('*', { cwd: folder })
  expect(names.length).toBeGreaterThan(100)
})

test('every file of the built console is served, compressed for browsers that accept it', () => {
  const serve = createConsoleFiles()
  for (const name of names.filter((each) => !each.endsWith('.gz'))) {
    const plain = serve(name, {})
    const compressed = serve(name, { 'accept-encoding': 'gzip, deflate, br' })
    const bytes = readFileSync(join(folder, name))
    expect(plain?.body, name).toEqual(bytes)
    expect(gunzipSync(compressed?.body as Buffer), name).toEqual(bytes)
    expect(compressed?.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(plain?.headers).not.toHaveProperty('content-encoding')
    expect(plain?.contentType).toMatch(/^(?:text\/(?:javascript|css); charset=utf-8|image\/|font\/)/)
  }
})

test.for(['../index.html', '..%2findex.html', '/etc/passwd', 'missing.js', '', '.', 'constructor'])(
  'a name that the build has not created is not served: %s',
  (name) => {
    expect(createConsoleFiles()(name, {})).toBeNull()
  },
)

test('a browser keeps a file permanently, because its name changes with its content', () => {
  const name = names.find((each) => each.endsWith('.js')) as string
  expect(name).toMatch(/-[\w-]{8}\.js$/)
  expect(createConsoleFiles()(name, {})?.headers?.['cache-control']).toContain('immutable')
})
