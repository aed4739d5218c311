import { programForm } from '../../process/program-files.ts'
import { describeProgram, programCommit, programVersion } from '../../process/program-version.ts'
import { command } from '../core/command.ts'

export const versionCommand = command({
  summary: 'Prints the version, like --version.',
  details:
    'Also the form of the installation, the commit that a release was built from, and the version of Node.js. Asks the network for nothing.',
  arguments: [],
  options: {},
  ignoresSettings: true,
  async run() {
    return {
      json: {
        version: programVersion,
        form: programForm,
        commit: programCommit,
        node: process.versions.node,
      },
      text: `onesixty ${describeProgram()}`,
    }
  },
})
