import { readFile } from 'node:fs/promises'
import { smppSettings } from '../../src/connectors/smpp/settings.ts'
import type { Generator } from './generator.ts'

const page = new URL('../../docs/connectors/smpp.md', import.meta.url)
const begin = '<!-- settings:begin, written by npm run generate from src/connectors/smpp/settings.ts -->'
const end = '<!-- settings:end -->'

/** The table of settings in `docs/connectors/smpp.md`. */
export const smppSettingsTable: Generator = {
  path: 'docs/connectors/smpp.md',
  async render() {
    const [before, rest] = (await readFile(page, 'utf8')).split(begin)
    const after = rest?.split(end)[1]
    if (before === undefined || after === undefined)
      throw new Error(`docs/connectors/smpp.md has no ${begin} … ${end}.`)
    const rows = smppSettings.map(
      ({ name, default: byDefault, says }) => `| \`${name}\` | ${byDefault === '' ? '–' : `\`${byDefault}\``} | ${says} |`,
    ) // prettier-ignore
    return `${before}${begin}\n| setting | default | what it does |\n| --- | --- | --- |\n${rows.join('\n')}\n${end}${after}`
  },
}
