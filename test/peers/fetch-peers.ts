import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedFolder } from './foreign-tools.ts'

/**
 * Fetches and builds the foreign peers of the tests of modems that Debian does not have, each once: packages of Python, the archive of
 * python-gsmmodem-new with its fake modems (LGPL: nothing of it is in this repository), and the judge in Go. Tests that want what is not there are left
 * out; .ci/run runs this before them.
 *
 *     node test/peers/fetch-peers.ts
 */
function main(): void {
  mkdirSync(fetchedFolder, { recursive: true })
  once('python', (folder) => run('pip3', 'install', '-q', '--no-deps', '--disable-pip-version-check', '--root-user-action=ignore', '-r', join(import.meta.dirname, 'requirements.txt'), '--target', folder)) // prettier-ignore
  once('gsmmodem-source', (folder) => {
    run('pip3', 'download', '-q', '--no-deps', '--no-binary', ':all:', '--disable-pip-version-check', 'python-gsmmodem-new==0.13.0', '-d', folder) // prettier-ignore
    run(
      'tar',
      '-xzf',
      join(folder, 'python-gsmmodem-new-0.13.0.tar.gz'),
      '-C',
      folder,
      '--strip-components=1',
    )
  })
  // Each time: Go builds again only what has changed.
  const judge = join(fetchedFolder, 'sms-judge/sms-judge')
  runIn(join(import.meta.dirname, 'sms-judges/go'), 'go', 'build', '-o', judge, '.')
}

/** Makes a folder in the cache that is either not there or whole. */
function once(name: string, make: (folder: string) => void): void {
  const folder = join(fetchedFolder, name)
  if (existsSync(folder)) return
  const unfinished = mkdtempSync(join(fetchedFolder, 'unfinished-'))
  try {
    make(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    throw error
  }
}

const run = (command: string, ...args: string[]): void => runIn('.', command, ...args)

const runIn = (cwd: string, command: string, ...args: string[]): void =>
  void execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

if (import.meta.main) main()
