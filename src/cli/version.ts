import { programVersion } from '../program-version.ts'
import { command } from './command.ts'

export const versionCommand = command({
  summary: 'Says which version this is; onesixty --version is the same.',
  arguments: [],
  options: {},
  ignoresSettings: true,
  async run() {
    return {
      json: { version: programVersion, node: process.versions.node },
      text: `onesixty ${programVersion}`,
    }
  },
})
