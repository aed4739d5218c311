import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './coverage.ts'
import type { Mutant } from './mutants.ts'

/** Of this process: two runs may go at once. */
const tree = join(root, `node_modules/.cache/onesixty/mutants-tree-${process.pid}`)
process.on('exit', () => rmSync(tree, { recursive: true, force: true }))
let lastFile = ''

/** Whether tsc refuses the changed program; asked of what no test has noticed. In a copy: the tree itself stays as it is. */
export async function isNoticedByTypes(mutant: Mutant): Promise<boolean> {
  if (lastFile === '') copySources()
  else cpSync(join(root, lastFile), join(tree, lastFile))
  lastFile = mutant.file
  writeFileSync(join(tree, mutant.file), mutant.text)
  const tsc = join(root, 'node_modules/.bin/tsc')
  return promisify(execFile)(tsc, ['-p', join(tree, 'tsconfig.json')]).then(
    () => false,
    () => true,
  )
}

function copySources(): void {
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(tree, { recursive: true })
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(tree, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  // Of what it knows already only the changed file, and what depends on its shape, is looked at again.
  const compilerOptions = { incremental: true, tsBuildInfoFile: join(tree, 'known.tsbuildinfo') }
  const settings = { extends: join(root, 'tsconfig.json'), include: ['src'], compilerOptions }
  writeFileSync(join(tree, 'tsconfig.json'), JSON.stringify(settings))
}
