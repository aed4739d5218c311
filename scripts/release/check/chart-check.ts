import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { run } from '../release.ts'
import { type Artefacts, tools } from './artefacts.ts'
import type { Check } from './run-checks.ts'
import { expectScraped, type KubernetesObject } from './service-monitor.ts'

const here = join(import.meta.dirname, 'chart-values')
/** Files of values, and how many objects each gives. */
const renderings = { default: 3, postgres: 3, ingress: 4, monitor: 4, hardened: 4 } as const
/** The version of Kubernetes whose schemas are compared; the lowest that the chart names is in Chart.yaml. */
const kubernetes = '1.34'

const isMonitor = (text: string): boolean => /^kind: ServiceMonitor$/m.test(text)

/** helm renders the chart for six files of values: Kubernetes has a schema for what it gives, a monitor finds its service, and one is refused with a sentence. */
export const chartCheck: Check<Artefacts> = {
  name: 'chart',
  needs: [tools.helm, tools.kubernetesValidate],
  async run(on) {
    const chart = join(on.out, `onesixty-chart-${on.version}.tgz`)
    await run('helm', ['lint', '--strict', chart])
    const template = (name: string): Promise<string> =>
      run('helm', ['template', 'sms', chart, `--kube-version=${kubernetes}`, `--values=${join(here, `${name}.yaml`)}`]) // prettier-ignore
    let valid = 0
    for (const [name, wanted] of Object.entries(renderings)) {
      const texts = (await template(name)).split(/^---$/m).filter((text) => /^kind: /m.test(text))
      if (texts.length !== wanted) throw new Error(`The values ${name} give ${texts.length} objects, not ${wanted}.`) // prettier-ignore
      if (name === 'monitor') expectScraped(texts.map((text) => parse(text) as KubernetesObject))
      const known = texts.filter((text) => !isMonitor(text))
      const file = join(on.scratch, `${name}.yaml`)
      await writeFile(file, known.join('---'))
      await run('kubernetes-validate', ['-k', kubernetes, '--strict', file])
      valid += known.length
    }
    const refusal = await template('refused').then(() => '', String)
    if (!refusal.includes('replicas above 1 need a database that they share'))
      throw new Error(`Two replicas without a database are not refused: ${refusal}`)
    return `${valid} objects of ${Object.keys(renderings).length} files of values are valid for Kubernetes ${kubernetes}, the monitor finds its service; replicas without a database are refused`
  },
}
