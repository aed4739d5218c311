import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedFolder } from './provider-tools.ts'

/**
 * Fetches the foreign peers of the tests of messaging services, each once: moto (PyPI), which plays Amazon SNS; WireMock (Maven), which plays
 * answers that fail; prism (npm), which plays an OpenAPI document, and the document of Twilio (npm: it comes with their command line). Tests that want what is not there are left out; .ci/run runs this before them.
 *
 *     node test/peers/fetch-provider-peers.ts
 */
function main(): void {
  mkdirSync(fetchedFolder, { recursive: true })
  once('moto', (folder) => {
    run('python3', '-m', 'venv', folder)
    run(join(folder, 'bin/pip'), 'install', '-q', '--disable-pip-version-check', 'moto[server]==5.2.5')
  })
  once('wiremock', (folder) => run('mvn', '-q', 'dependency:copy', '-Dartifact=org.wiremock:wiremock-standalone:3.13.2', `-DoutputDirectory=${folder}`)) // prettier-ignore
  once('prism', (folder) => run('npm', 'install', '--silent', '--prefix', folder, '@stoplight/prism-cli@5.16.0')) // prettier-ignore
  once('twilio-document', (folder) => {
    run('npm', 'pack', '--silent', '--pack-destination', folder, '@twilio/cli-core@9.0.0')
    const inside = 'package/src/services/twilio-api/twilio_api_v2010.json'
    run(
      'tar',
      '-xzf',
      join(folder, 'twilio-cli-core-9.0.0.tgz'),
      '-C',
      folder,
      '--strip-components=4',
      inside,
    )
  })
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

const run = (command: string, ...args: string[]): void =>
  void execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })

if (import.meta.main) main()
