import { readReport, type RoomReport, type Survivor } from '../mutants/report.ts'
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
  const { all, tried, counted, killed, score, commit, day, seed } = report
  return `| \`${name}\` | ${what} | ${all} | ${tried} | ${counted} | ${killed} (${score}%) | ${commit}, ${day}, seed ${seed} |`
}

const survivorRow = ({ file, line, change, because }: Survivor): string =>
  `| ${inCell(change)} | \`${file}:${line}\` | ${because ?? 'not looked at'} |`

const inCell = (change: string): string => `\`${change.replaceAll('|', '\\|').replaceAll('`', "'")}\``
