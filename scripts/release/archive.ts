import { readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, gzip, zstdCompress } from 'node:zlib'
import { run } from './release.ts'

/** Options of GNU tar for an archive that depends on its content alone: sorted, owned by root, one time, no mode of a machine. */
const sameBytes = (epochS: number): string[] => [
  '--sort=name',
  `--mtime=@${epochS}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u=rwX,go=rX',
  '--format=ustar',
]

export interface Archive {
  folder: string
  members: readonly string[]
  epochS: number
}

/**
 * Packs members of a folder into an archive that is the same for the same content: `.tgz`, `.tar.zst` or, without compression, `.tar`. GNU tar, because no
 * package of ours writes archives; compressed by the Node.js of the lockfile, since versions of gzip and zstd differ in their output.
 */
export async function packArchive(file: string, { folder, members, epochS }: Archive): Promise<void> {
  const tar = file.endsWith('.tar') ? file : `${file}.part`
  await run('tar', ['--create', `--file=${tar}`, ...sameBytes(epochS), `--directory=${folder}`, ...members])
  if (tar === file) return
  const bytes = await readFile(tar)
  const packed = file.endsWith('.zst')
    ? await promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 12 } })
    : await promisify(gzip)(bytes, { level: 9 })
  await writeFile(file, packed)
  await rm(tar)
}
