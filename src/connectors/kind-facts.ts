/**
 * What a kind of device says about itself, for the API, the console and the command line: a kind is never named outside of its folder and
 * of `registry.ts`. Only texts, so that reading them loads no connector.
 */
export interface KindFacts {
  kind: string
  /** A noun, as a choice shows it: `Android`, `SMPP link`. */
  label: string
  /** Its devices are phones: each registers with a private token, and fetches its messages. Omitted: a device is added with its settings. */
  isPhone?: true
  /** What it takes leaves no SIM and no network. */
  isSimulated?: true
  /** Its peer can be tried without sending anything; what the button of the console says. */
  trial?: string
  /** With which keys the owner of an account can add one; `never` leaves it to the operator. */
  addedByOwners: 'always' | 'in_test_mode' | 'never'
  /** Told to an owner who cannot add one; a sentence or two. */
  notAdded?: string
  /**
   * Settings that the owner of an account can set. All others are the operator's: a setting may make this server connect to any address or
   * read one of its files, so that one that is new is not an owner's by default.
   */
  ownerSettings: 'all' | readonly string[]
  /** Settings that the form shows first, in the order of the rules; the rest is behind a fold. */
  usualSettings: readonly string[]
  /** Settings that have controls of their own in the console. */
  controlledSettings?: readonly string[]
  /** Of secrets that a form asks for: its label, and what is worth knowing. */
  secretFields?: Readonly<Record<string, { label: string; hint: string }>>
  /** What to do about a reason that its devices give for their state, by the reason. */
  remedies: Readonly<Record<string, string>>
  /** What `onesixty device test` adds to a remedy. */
  testHints?: Readonly<Record<string, string>>
}

/** Whether the owner of an account can set a setting of a kind. */
export const isOwnerSetting = ({ ownerSettings }: Pick<KindFacts, 'ownerSettings'>, name: string): boolean =>
  ownerSettings === 'all' || ownerSettings.includes(name)
