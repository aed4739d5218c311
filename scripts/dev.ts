import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

/** The server, started anew when its code changes. */
export const serverCommand = ['node', '--watch', 'bin/onesixty.js', 'serve'] as const
/** The pages with hot reload; their calls go to the server. */
const pagesCommand = ['vite', 'console', '--clearScreen', 'false'] as const

/** `npm run dev`: both of them. What ends one ends the other. */
function main(): void {
  const cwd = join(import.meta.dirname, '..')
  const children: ChildProcess[] = [serverCommand, pagesCommand].map(([program, ...args]) =>
    spawn(program, args, { cwd, stdio: 'inherit' }),
  )
  const endAll = (): void => {
    for (const child of children) child.kill('SIGTERM')
  }
  for (const child of children) child.once('exit', endAll)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endAll)
}

if (import.meta.main) main()
