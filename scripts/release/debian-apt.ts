import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './release.ts'

/** Downloads packages of Debian for one processor into a folder: `libc6`, or `libc6=2.36-9` for one version. apt verifies them. */
export type Download = (...packages: string[]) => Promise<string>

/** Prepares apt for a processor. Its state is in `folder`, so that the machine keeps its own processor, and its own packages. */
export async function openApt(debianArch: string, folder: string): Promise<Download> {
  for (const name of ['lists/partial', 'cache/archives/partial'])
    await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, 'status'), '')
  const options = {
    'APT::Architecture': debianArch,
    'APT::Architectures': debianArch,
    'APT::Sandbox::User': 'root',
    'Dir::State': folder,
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
  }
  const args = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', [...args, 'update'])
  return (...packages) => run('apt-get', [...args, 'download', ...packages], { cwd: folder })
}
