import { readdir, readFile } from 'node:fs/promises'
import type { Generator } from './generator.ts'

const folder = new URL('../../docs/decisions/', import.meta.url)

/** `docs/decisions/README.md`: every record by its title. */
export const decisionList: Generator = {
  path: 'docs/decisions/README.md',
  render: async () => `# Decisions

Generated from the records by \`npm run generate\`. Each has a page: context, decision, evidence, how to overturn.

${(await lines()).join('\n')}
`,
}

async function lines(): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}-/.test(name)).toSorted()
  return Promise.all(
    files.map(async (name) => {
      const title = /^# (.+)$/m.exec(await readFile(new URL(name, folder), 'utf8'))?.[1]
      if (title === undefined) throw new Error(`docs/decisions/${name} has no title`)
      return `- [${title}](${name})`
    }),
  )
}
