import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../release.ts'
import { type Artefacts, tools } from './artefacts.ts'
import type { Check } from './run-checks.ts'

const here = join(import.meta.dirname, 'chart-values')
/** Files of values, and how many objects each gives. */
const renderings = { default: 3, postgres: 3, ingress: 4, monitor: 3, hardened: 4 } as const
/** The version of Kubernetes whose schemas are compared; the lowest that the chart names is in Chart.yaml. */
const kubernetes = '1.34'

/** helm renders the chart for six files of values: Kubernetes has a schema for what it gives, and one is refused with a sentence. */
export const chartCheck: Check<Artefacts> = {
  name: 'chart',
  needs: [tools.helm, tools.kubernetesValidate],
  async run(on) {
    const chart = join(on.out, `onesixty-chart-${on.version}.tgz`)
    await run('helm', ['lint', '--strict', chart])
    const template = (name: string): Promise<string> =>
      run('helm', ['template', 'sms', chart, `--kube-version=${kubernetes}`, `--values=${join(here, `${name}.yaml`)}`]) // prettier-ignore
    let objects = 0
    for (const [name, wanted] of Object.entries(renderings)) {
      const known = (await template(name))
        .split(/^---$/m)
        // The operator of Prometheus brings its own schema, which no version of Kubernetes has.
        .filter((text) => /^kind: /m.test(text) && !/^kind: ServiceMonitor$/m.test(text))
      const file = join(on.scratch, `${name}.yaml`)
      await writeFile(file, known.join('---'))
      await run('kubernetes-validate', ['-k', kubernetes, '--strict', file])
      if (known.length !== wanted) throw new Error(`The values ${name} give ${known.length} objects, not ${wanted}.`) // prettier-ignore
      objects += known.length
    }
    const refusal = await template('refused').then(() => '', String)
    if (!refusal.includes('replicas above 1 need a database that they share'))
      throw new Error(`Two replicas without a database are not refused: ${refusal}`)
    return `${objects} objects of ${Object.keys(renderings).length} files of values are valid for Kubernetes ${kubernetes}; replicas without a database are refused`
  },
}
