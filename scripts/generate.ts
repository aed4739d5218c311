import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { androidResultsPage } from './generators/android-results.ts'
import { configurationPage, environmentExample } from './generators/configuration.ts'
import { decisionList } from './generators/decision-list.ts'
import { doctorChecks } from './generators/doctor-checks.ts'
import type { Generator } from './generators/generator.ts'
import { glossary } from './generators/glossary.ts'
import { grafanaDashboard } from './generators/grafana-dashboard.ts'
import { layerPicture } from './generators/layer-picture.ts'
import { openApi } from './generators/openapi.ts'
import { operatorOpenApi } from './generators/operator-openapi.ts'
import { providerSchema } from './generators/provider-schema.ts'
import { reliabilityTables } from './generators/reliability-tables.ts'
import { androidSettingsTable, modemSettingsTable, smppSettingsTable } from './generators/settings-tables.ts'
import { scalingTables } from './generators/scaling-tables.ts'
import { smppStatusPage } from './generators/smpp-status.ts'
import { stateMachine } from './generators/state-machine.ts'
import { wholeSchema } from './generators/whole-schema.ts'

const generators: readonly Generator[] = [
  layerPicture,
  configurationPage,
  environmentExample,
  stateMachine,
  smppSettingsTable,
  modemSettingsTable,
  smppStatusPage,
  androidSettingsTable,
  androidResultsPage,
  grafanaDashboard,
  scalingTables,
  reliabilityTables,
  doctorChecks,
  decisionList,
  glossary,
  openApi,
  operatorOpenApi,
  providerSchema,
  wholeSchema,
]

/** Writes every generated file that is stale, or, with `--check`, only names them and fails. */
async function main(): Promise<void> {
  const check = process.argv.includes('--check')
  const stale: string[] = []
  for (const generator of generators) {
    const { path } = generator
    const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
    const text = await generator.render()
    if (text === (await readFile(file, 'utf8').catch(() => null))) continue
    stale.push(path)
    if (check) continue
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  for (const path of stale) console.log(check ? `${path} is stale: npm run generate` : `wrote ${path}`)
  if (stale.length === 0) console.log(`${generators.length} generated files are fresh`)
  if (check && stale.length > 0) process.exitCode = 1
}

await main()
