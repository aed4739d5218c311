import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bannedNames, bannedPhrases, donePaths, exceptions, laterPaths } from '../words.ts'

/** The English of the field, by docs/glossary.md, in the paths that have been gone through. */

const root = join(import.meta.dirname, '..', '..')
const files = globSync(
  donePaths.map((path) => (path.endsWith('/') ? `${path}**/*.{ts,tsx,md}` : path)),
  {
    cwd: root,
  },
).filter((file) => !laterPaths.includes(file))

/** Each fault as `file:line word → instead`. */
function faultsOf(file: string, text: string): string[] {
  const allowed = exceptions.filter((each) => each.file === file)
  return text.split('\n').flatMap((line, index) => {
    const rest = allowed.reduce((left, each) => left.replaceAll(each.text, ''), line)
    const place = `${file}:${index + 1}`
    const phrases = bannedPhrases.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(rest)
      return found === null ? [] : [`${place} ${found[0]} → ${instead}`]
    })
    const names = file.endsWith('.md') ? [] : humpsOf(rest).filter((hump) => bannedNames.includes(hump))
    return [...phrases, ...names.map((name) => `${place} ${name} → docs/glossary.md`)]
  })
}

/** The humps of each identifier of a line: `lastHandOver` is `Last`, `Hand`, `Over`, and `HandOver`. */
function humpsOf(line: string): string[] {
  return (line.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []).flatMap((name) => {
    const humps = name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []
    const single = humps.map((hump) => hump.charAt(0).toUpperCase() + hump.slice(1))
    // A word of prose is no name: names have humps, or stand alone as types.
    if (humps.length < 2 && !/^[A-Z]/.test(name)) return []
    return [...single, ...single.slice(1).map((hump, i) => `${single[i]}${hump}`)]
  })
}

test('every text uses the words of the field', () => {
  expect(files.length).toBeGreaterThan(5)
  expect(files.flatMap((file) => faultsOf(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
})

test('a word of ours, in prose or in a name, is found with its place and what to say instead', () => {
  expect(faultsOf('a', 'one\nWhoever asks')).toEqual(['a:2 Whoever → anyone who, the client that'])
  expect(faultsOf('a.ts', 'interface OpenHandOver {}')).toEqual(['a.ts:1 HandOver → docs/glossary.md'])
  expect(faultsOf('a.ts', 'const lastHeard = 1')).toEqual(['a.ts:1 Heard → docs/glossary.md'])
})

test('every exception is still needed, and every path that is done is there', () => {
  const missing = exceptions.filter(({ file, text }) => {
    const line = readFileSync(join(root, file), 'utf8')
    return !line.includes(text)
  })
  expect(missing).toEqual([])
  expect(laterPaths.filter((file) => !existsSync(join(root, file)))).toEqual([])
  for (const path of donePaths) expect(files.filter((file) => file.startsWith(path))).not.toEqual([])
})
