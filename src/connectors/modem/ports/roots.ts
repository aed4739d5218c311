/** Where the files of a machine are; a test has its own. */
export interface Roots {
  dev: string
  sys: string
  proc: string
  etc: string
  run: string
}

export const machineRoots: Roots = { dev: '/dev', sys: '/sys', proc: '/proc', etc: '/etc', run: '/run' }
