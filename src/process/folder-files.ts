import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Reads the files of a program that is a folder: a checkout or a build (program-files.ts). */
export interface FolderFiles {
  /** Returns the path of the folder. */
  folder(): string
  /** Reads a file by its path in the folder. Throws if it does not exist. */
  read(path: string): Buffer
  /** Returns the sorted names of the files in a folder of it; none if it does not exist. */
  list(folder: string): string[]
}

export const filesIn = (root: URL): FolderFiles => ({
  folder: () => fileURLToPath(root),
  read: (path) => readFileSync(new URL(path, root)),
  list(folder) {
    try {
      return readdirSync(new URL(folder, root)).toSorted()
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return []
      throw error
    }
  },
})
