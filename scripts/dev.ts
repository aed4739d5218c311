import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

/**
 * `npm run dev`: the server, started anew when its code changes, and the console with hot reload, whose calls go to it. What
 * ends one of them ends both.
 */
const root = join(import.meta.dirname, '..')
const commands: readonly (readonly string[])[] = [
  ['node', '--watch', 'src/main.ts', 'serve'],
  ['vite', 'console', '--clearScreen', 'false'],
]

const children: ChildProcess[] = commands.map(([program = '', ...args]) =>
  spawn(program, args, { cwd: root, stdio: 'inherit' }),
)
const endAll = (): void => {
  for (const child of children) child.kill('SIGTERM')
}
for (const child of children) child.once('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endAll)
