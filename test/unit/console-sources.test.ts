import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { sources } from '../../scripts/build-console.ts'

const root = join(import.meta.dirname, '../..')

/** What a module runs with: modules of which it takes types alone are left out. */
const importedBy = (file: string): string[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export) (?!type\b)(?:[\w$*, ]*|[\w$, ]*\{[^}]*\}) ?from '(\.[^']+\.tsx?)'$/gm,
    ),
  ].map(([, path = '']) => relative(root, join(root, dirname(file), path)))

test('the console is built anew when any module of the server changes that it is made of', () => {
  const own = globSync('console/src/**/*.{ts,tsx}', { cwd: root })
  const known = new Set(own)
  for (const file of known) for (const imported of importedBy(file)) known.add(imported)
  const ofServer = [...known].filter((file) => file.startsWith('src/'))
  expect(ofServer).toContain('src/sms/sms-text.ts')
  const listed = sources.flatMap((pattern) => globSync(pattern, { cwd: root }))
  expect(ofServer.toSorted()).toEqual(listed.filter((file) => file.startsWith('src/')).toSorted())
})
