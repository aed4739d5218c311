import type { Artefacts } from './artefacts.ts'
import { allChecks } from './checks.ts'
import { sendWord } from './process-group.ts'

// The process of one check (check-release.ts): its name, and the artefacts as JSON.
const [name = '', artefacts = ''] = process.argv.slice(2)

await sendWord(async () => {
  const check = allChecks().find((each) => each.name === name)
  if (check === undefined) throw new Error(`There is no check ${name}.`)
  return check.run(JSON.parse(artefacts) as Artefacts)
})
