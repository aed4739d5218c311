import { programVersion } from '../../process/program-version.ts'
import { command } from '../core/command.ts'

export const versionCommand = command({
  summary: 'Prints the version, like --version.',
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
