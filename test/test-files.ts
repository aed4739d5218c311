import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whoever imports one of these needs a database. */
const stores = new Set(['test/test-database.ts', 'test/postgres-server.ts'])

const root = join(import.meta.dirname, '..')
const known = new Map<string, readonly string[]>()

/** The files of the tests that a file of the tests imports at run time, itself among them. */
function reach(file: string): ReadonlySet<string> {
  const reached = new Set([file])
  for (const each of reached) for (const imported of importsOf(each)) reached.add(imported)
  return reached
}

function importsOf(file: string): readonly string[] {
  let imports = known.get(file)
  if (imports === undefined) {
    const text = readFileSync(join(root, file), 'utf8')
    const found = [
      ...text.matchAll(/^(?:import|export) (?!type )[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm),
    ]
    imports = found
      .map(([, from, bare]) => join(dirname(file), from ?? bare ?? ''))
      .filter((path) => path.startsWith('test/'))
    known.set(file, imports)
  }
  return imports
}

/** The test files that need a database: they, or what they import, name one. Each runs on those that it is for; all others run once. */
export const needStore = (files: readonly string[]): string[] =>
  files.filter((file) => [...reach(file)].some((each) => stores.has(each)))

export const testFiles = globSync('test/**/*.test.ts', { cwd: root }).toSorted()
