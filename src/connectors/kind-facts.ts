import type { Capabilities } from './connector.ts'

/**
 * The facts about a kind of device, for the API, the console and the command line: a kind is never named
 * outside of its folder and of `registry.ts`. Only texts, so that reading them loads no connector.
 */
export interface KindFacts {
  kind: string
  /** A noun for lists of choices: `Android phone`, `SMPP connection`, `GSM modem`, `simulator`. */
  label: string
  /**
   * Its devices are phones: each registers with a private token, and fetches its messages. Omitted: a device
   * is added with its settings.
   */
  isPhone?: true
  /** Its devices may be at ports of this machine, which `device discover` lists; the name of the setting with the path. */
  portSetting?: string
  /** The setting with the name of the only node that may open it. */
  nodeSetting?: string
  /** Nothing that it accepts is actually sent. */
  isSimulated?: true
  /** What each of its devices can carry. */
  carries: Pick<Capabilities, 'maxParts' | 'alphanumericSender' | 'encodingChoice'>
  /** The setting with which a device only receives. Omitted: each sends. */
  receivesOnly?: { setting: string; value: string }
  /** Its peer can be tested without sending anything; the label of the console's button. */
  trial?: string
  /** With which keys the owner of an account can add one; `never` leaves it to the operator. */
  addedByOwners: 'always' | 'in_test_mode' | 'never'
  /** Shown to an owner who cannot add one; a sentence or two. */
  notAdded?: string
  /**
   * Settings that the owner of an account can change. All others are the operator's: a setting may make this
   * server connect to any address or read one of its files, so a new one is not an owner's by default.
   */
  ownerSettings: readonly string[]
  /** Whether the owner can replace the secrets of a device. Omitted: the operator alone. */
  ownerSecrets?: true
  /** Settings that the form shows first, in the order of the rules; the rest is folded. */
  usualSettings: readonly string[]
  /** What else its devices are asked for depends on this setting, whose values `provider-forms.ts` describes. */
  chosenBy?: string
  /** Settings that have controls of their own in the console. */
  controlledSettings?: readonly string[]
  /** Labels and hints of secrets in a form. */
  secretFields?: Readonly<Record<string, { label: string; hint: string }>>
  /** What to do about a reason for the state of a device, by the reason. `{onesixty}` is the word before a command. */
  remedies: Readonly<Record<string, string>>
  /** What a network code of its devices means and what to do, by the code. */
  results?: Readonly<Record<string, string>>
  /** Path of the guide on every server: the part of it that helps with these reasons. */
  guide: string
  /** What `device test` on the command line adds to a remedy. */
  testHints?: Readonly<Record<string, string>>
}

/** Returns whether the owner of an account can change a setting of a kind. */
export const isOwnerSetting = ({ ownerSettings }: Pick<KindFacts, 'ownerSettings'>, name: string): boolean =>
  ownerSettings.includes(name)

/** Returns whether the owner of an account can add a device of a kind with keys of a mode. */
export const canOwnersAdd = (
  { addedByOwners }: Pick<KindFacts, 'addedByOwners'>,
  mode: 'live' | 'test',
): boolean => addedByOwners === 'always' || (addedByOwners === 'in_test_mode' && mode === 'test')
