import { reasonOf } from '../mutants/equivalent.ts'
import { readReport, type RoomReport, scoreOf, type Survivor } from '../mutants/report.ts'
import { mutantRooms } from '../mutants/rooms.ts'

/** What the last recorded mutation run of each room showed, and each change that none of its tests noticed. */
export function renderMutants(): string {
  const reports = readReport()
  const rows = mutantRooms.map(({ name, what }) => roomRow(name, what, reports[name]))
  const survivors = mutantRooms.flatMap(({ name }) => reports[name]?.survivors ?? [])
  return `| room | of what | changes | tried | count | noticed | seen last |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

| change that no test noticed | in | why it stays |
| --- | --- | --- |
${survivors.map(survivorRow).join('\n')}`
}

function roomRow(name: string, what: string, report: RoomReport | undefined): string {
  if (report === undefined) return `| \`${name}\` | ${what} | – | – | – | – | – |`
  const { all, tried, killed, commit, day, seed } = report
  const { counted, score } = scoreOf(report)
  return `| \`${name}\` | ${what} | ${all} | ${tried} | ${counted} | ${killed} (${score}%) | ${commit}, ${day}, seed ${seed} |`
}

const survivorRow = (survivor: Survivor): string =>
  `| ${inCell(survivor.change)} | \`${survivor.file}:${survivor.line}\` | ${reasonOf(survivor) ?? 'a test is missing'} |`

const inCell = (change: string): string => `\`${change.replaceAll('|', '\\|').replaceAll('`', "'")}\``
