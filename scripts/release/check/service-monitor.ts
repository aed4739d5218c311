/** What the check of the chart reads of an object of Kubernetes. */
export interface KubernetesObject {
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  spec?: Record<string, unknown>
}

/** Members of a ServiceMonitor (monitoring.coreos.com/v1, https://prometheus-operator.dev/docs/api-reference/api/) that the chart sets. */
interface Monitor {
  selector: { matchLabels: Record<string, string> }
  endpoints: { port: string; path: string }[]
}

const members = ['selector', 'jobLabel', 'endpoints']

/**
 * Throws unless the only ServiceMonitor of a rendering finds one service, by its labels, and there a port of that name. The operator of Prometheus brings
 * the schema, which no version of Kubernetes has: a monitor that finds nothing is valid there, and nothing is scraped.
 */
export function expectScraped(objects: readonly KubernetesObject[]): void {
  const monitors = objects.filter(({ kind }) => kind === 'ServiceMonitor')
  const [monitor] = monitors
  if (monitor?.spec === undefined || monitors.length > 1)
    throw new Error(`The chart has ${monitors.length} ServiceMonitors, not one.`)
  const unknown = Object.keys(monitor.spec).filter((member) => !members.includes(member))
  if (unknown.length > 0)
    throw new Error(`The ServiceMonitor has ${unknown.join(', ')}, which is not checked.`)
  const { selector, endpoints } = monitor.spec as unknown as Monitor
  const found = objects.filter(({ kind, metadata }) => kind === 'Service' && hasLabels(metadata.labels ?? {}, selector.matchLabels)) // prettier-ignore
  const [service] = found
  if (service === undefined || found.length > 1)
    throw new Error(`The ServiceMonitor finds ${found.length} services, not one: ${JSON.stringify(selector)}`)
  const ports = ((service.spec?.['ports'] ?? []) as { name: string }[]).map(({ name }) => name)
  const [endpoint, another] = endpoints
  if (
    endpoint === undefined ||
    another !== undefined ||
    endpoint.path !== '/metrics' ||
    !ports.includes(endpoint.port)
  )
    throw new Error(`The ServiceMonitor reads ${JSON.stringify(endpoints)} of the ports ${ports.join(', ')}.`)
}

const hasLabels = (labels: Record<string, string>, wanted: Record<string, string>): boolean =>
  Object.keys(wanted).length > 0 && Object.entries(wanted).every(([name, value]) => labels[name] === value)
