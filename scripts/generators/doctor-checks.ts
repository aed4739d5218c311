import { readFile } from 'node:fs/promises'
import { ledgerChecks } from '../../src/ledger/ledger-audit.ts'
import { messageChecks } from '../../src/messages/audit/message-audit.ts'
import type { Generator } from './generator.ts'

const path = 'docs/doctor.md'
const begin =
  '<!-- sums:begin, written by npm run generate from the checks of src/ledger/ and src/messages/audit/ -->'
const end = '<!-- sums:end -->'

/** The table of sums in `docs/doctor.md`. */
export const doctorChecks: Generator = {
  path,
  async render() {
    const [before, rest] = (await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).split(begin)
    const after = rest?.split(end)[1]
    if (before === undefined || after === undefined) throw new Error(`${path} has no ${begin} … ${end}.`)
    const rows = [...ledgerChecks, ...messageChecks].map(
      ({ name, summary }) => `| \`${name}\` | ${summary} |`,
    )
    return `${before}${begin}\n| check | what must be true |\n| --- | --- |\n${rows.join('\n')}\n${end}${after}`
  },
}
