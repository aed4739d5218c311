import { connectorKinds } from '../../connectors/registry.ts'
import { table } from '../core/help.ts'
import { loadKind } from './device-lookup.ts'
import { namedProvider } from './provider-options.ts'

/** Returns the help of `--set`: the settings of the kinds that are named in the arguments, or of all kinds. */
export async function settingsHelp(given: readonly string[]): Promise<string> {
  const named = connectorKinds.filter((kind) => given.includes(kind))
  const kinds = await Promise.all((named.length > 0 ? named : connectorKinds).map(loadKind))
  const provider = namedProvider(given)
  return kinds
    .map(({ kind, settings, rulesFor }) =>
      table(
        `Settings of the kind ${kind}, with defaults:`,
        ((provider === null ? undefined : rulesFor?.({ provider }).settings) ?? settings).map((rule) => [
          `${rule.name}=${rule.default}`,
          rule.summary,
        ]),
      ),
    )
    .join('\n\n')
}
