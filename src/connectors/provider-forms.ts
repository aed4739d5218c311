import type { Declaration } from './http/declaration/declaration.ts'
import { ownDeclaration, ownProviders } from './http/own-providers.ts'
import { rulesFor } from './http/settings.ts'
import type { SettingRule } from './setting-rules.ts'

/** What a form asks for a device at a provider that comes with the program. */
export interface ProviderForm {
  /** The value of the setting by which it is chosen. */
  name: string
  title: string
  /** All settings of such a device; `declared` are those that its declaration names. */
  settings: readonly SettingRule[]
  declared: readonly string[]
  ownerSettings: readonly string[]
  secrets: readonly { name: string; says: string; isRequired: boolean }[]
  /** Where receipts and received messages arrive only if this server's addresses are set at the provider. */
  isCalled: boolean
}

/** Returns the forms of the providers that come with the program. */
export const providerForms = (): ProviderForm[] =>
  ownProviders().map((name) => {
    const { title, settings = {}, secrets = {}, status, inbound } = ownDeclaration(name) as Declaration
    const rules = rulesFor({ provider: name })
    return {
      name,
      title,
      settings: rules.settings,
      declared: Object.keys(settings),
      ownerSettings: rules.ownerSettings ?? [],
      secrets: Object.entries(secrets).map(([secret, { says, required }]) => ({
        name: secret,
        says,
        isRequired: required === true,
      })),
      isCalled: status !== undefined || inbound !== undefined,
    }
  })
