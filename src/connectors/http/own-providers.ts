import { listProgramFiles, readProgramFile } from '../../process/program-files.ts'
import type { Declaration } from './declaration/declaration.ts'
import { readDeclaration } from './declaration/read-declaration.ts'

/** The declarations that come with the program. */
const folder = 'src/connectors/http/providers'

/** Returns the names of the providers that come with the program. */
export const ownProviders = (): readonly string[] =>
  listProgramFiles(folder)
    .flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))
    .toSorted()

/** Returns the text of the declaration with this name; null when none has it. */
export const ownDeclarationText = (name: string): string | null =>
  ownProviders().includes(name) ? readProgramFile(`${folder}/${name}.json`).toString('utf8') : null

const known = new Map<string, Declaration>()

/** Returns the declaration with this name that comes with the program; null when none has it. */
export function ownDeclaration(name: string): Declaration | null {
  const before = known.get(name)
  if (before !== undefined) return before
  const text = ownDeclarationText(name)
  if (text === null) return null
  const read = readDeclaration(text)
  if ('faults' in read)
    throw new Error(`The declaration of ${name} is invalid: ${JSON.stringify(read.faults)}`)
  known.set(name, read.declaration)
  return read.declaration
}
