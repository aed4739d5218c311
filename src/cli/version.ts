import { readFile } from 'node:fs/promises'
import { command } from './command.ts'

export const versionCommand = command({
  summary: 'Says which version this is; onesixty --version is the same.',
  arguments: [],
  options: {},
  ignoresSettings: true,
  async run() {
    const version = await readVersion()
    return { json: { version, node: process.versions.node }, text: `onesixty ${version}` }
  },
})

/** The version of this program, as its package.json has it. */
async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
