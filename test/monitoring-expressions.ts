import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export interface AlertRule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string }
}

/** One question to Prometheus, of a rule or of a panel of the dashboard. */
export interface Expression {
  from: string
  text: string
  rule: AlertRule | null
}

const deploy = join(import.meta.dirname, '../deploy')

/** Everything that the files in `deploy/` ask Prometheus for. */
export function readExpressions(): Expression[] {
  const { groups } = parse(readFileSync(join(deploy, 'prometheus-alerts.yml'), 'utf8')) as {
    groups: { rules: AlertRule[] }[]
  }
  const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[]
  }
  return [
    ...groups.flatMap(({ rules }) => rules).map((rule) => ({ from: rule.alert, text: rule.expr, rule })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ from: title, text: expr, rule: null })),
    ),
  ]
}
