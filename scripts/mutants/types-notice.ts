import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './coverage.ts'
import type { Mutant } from './mutants.ts'

/** Of this process: two runs may go at once. */
const tree = join(root, `node_modules/.cache/onesixty/mutants-tree-${process.pid}`)
process.on('exit', () => rmSync(tree, { recursive: true, force: true }))
let lastFile = ''

/** Whether tsc refuses the changed program; asked of what no test has noticed. In a copy: the tree itself stays as it is. */
export async function isNoticedByTypes(mutant: Mutant): Promise<boolean> {
  if (lastFile === '') await copySources()
  else cpSync(join(root, lastFile), join(tree, lastFile))
  lastFile = mutant.file
  writeFileSync(join(tree, mutant.file), mutant.text)
  return isRefused(await check())
}

/** How tsc ended, and what it said. */
export interface TypesChecked {
  /** Null when it was ended by a signal. */
  code: number | null
  said: string
}

/** A refusal names a place in the program. Whatever else may fail says nothing of the change, and is nothing that was noticed. */
export function isRefused({ code, said }: TypesChecked): boolean {
  if (code === 0) return false
  if ((code === 1 || code === 2) && /^\S+\(\d+,\d+\): error TS\d+/m.test(said)) return true
  throw new Error(`tsc could not look at the program (${code ?? 'ended'}): ${said.slice(0, 500)}`)
}

const check = (): Promise<TypesChecked> =>
  new Promise((resolve, reject) => {
    const args = ['-p', join(tree, 'tsconfig.json'), '--pretty', 'false']
    const tsc = spawn(join(root, 'node_modules/.bin/tsc'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [tsc.stdout, tsc.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    tsc.once('error', reject)
    tsc.once('close', (code) => resolve({ code, said }))
  })

async function copySources(): Promise<void> {
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(tree, { recursive: true })
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(tree, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  // Of what it knows already only the changed file, and what depends on its shape, is looked at again.
  const compilerOptions = { incremental: true, tsBuildInfoFile: join(tree, 'known.tsbuildinfo') }
  const settings = { extends: join(root, 'tsconfig.json'), include: ['src'], compilerOptions }
  writeFileSync(join(tree, 'tsconfig.json'), JSON.stringify(settings))
  // Refused before any change, it would refuse each of them.
  if (isRefused(await check())) throw new Error('tsc refuses the program as it is.')
}
