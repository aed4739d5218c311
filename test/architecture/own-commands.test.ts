import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'

const repository = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(repository, path), 'utf8')

/** Help is about the program by its name, as a manual is. */
const writeHelp = ['src/cli/command-line.ts', 'src/cli/core/help.ts']

/** Names of running commands, for locks and connections; they are not typed. */
const isNameOfProcess = (line: string): boolean =>
  /(?:purpose|applicationName): 'onesixty [a-z ]+'|application_name = 'onesixty /.test(line)

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*)/.test(line)

const wordsOf = async (): Promise<string[]> => {
  let help = ''
  const stream = { write: (text: string) => void (help += text) }
  await runCommandLine(['--help'], {
    stdout: stream,
    stderr: stream,
    stdin: (async function* () {})(),
    env: {},
  })
  return [...help.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, word = '']) => word)
}

const handWritten = (text: string, words: readonly string[]): string[] => {
  const command = new RegExp(String.raw`\bnpx\b|\bonesixty (?:--[a-z]|<command>|(?:${words.join('|')})\b)`)
  return text.split('\n').filter((line) => command.test(line) && !isComment(line) && !isNameOfProcess(line))
}

test('no text of the program and of the console writes a command by hand: how it is typed depends on the installation', async () => {
  const words = await wordsOf()
  expect(words).toContain('device')
  expect(words.length).toBeGreaterThan(15)
  for (const planted of ['`npx onesixty x`', "'Run onesixty device list.'", 'onesixty opt-out list', "'onesixty --help'"])
    expect(handWritten(planted, words), planted).toHaveLength(1)
  for (const fine of ['`${ownCommand()} device list`', '// see onesixty device set', "purpose: 'onesixty serve',", 'onesixty is running'])
    expect(handWritten(fine, words), fine).toEqual([])
  const paths = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: repository })
  expect(paths.length).toBeGreaterThan(500)
  const found = paths
    .filter((path) => !writeHelp.includes(path))
    .flatMap((path) => handWritten(readText(path), words).map((line) => `${path}: ${line.trim()}`))
  expect(found).toEqual([])
}) // prettier-ignore

test('no document tells anyone to let npx fetch this program', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: repository }).filter((path) => !path.startsWith('docs/decisions/'))
  const asked = pages.flatMap((path) =>
    readText(path)
      .split('\n')
      .filter((line) => /\bnpx onesixty\b/.test(line) && !/Never run `npx onesixty`/.test(line))
      .map((line) => `${path}: ${line}`),
  )
  expect(asked).toEqual([])
}) // prettier-ignore
