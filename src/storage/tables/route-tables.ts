import type { Generated } from 'kysely'
import type { Category, Encoding, Mode } from './column-values.ts'
import type { JsonText } from './json-columns.ts'

/** What a rule came out to for messages (src/devices/routes/way.ts). */
export interface WayTable {
  id: string
  stages: JsonText<WayJson>
  created_at: number
  /** When a message last got it, to the day, by the time of its change; null: not noted, and it is kept. */
  used_at: Generated<number | null>
}

export interface RouteRuleTable {
  id: string
  /** Null: of the operator. */
  account_id: string | null
  /** Rules of one owner are asked in this order. */
  place: number
  name: string
  conditions: JsonText<RuleConditions>
  /** Null: messages are refused. */
  stages: JsonText<readonly RuleStageJson[]> | null
  created_at: number
  updated_at: number
}

/** Numbers to which a device sends, by the digits with which they begin, without `+`. */
export interface Destinations {
  /** If not empty, only these. */
  onlyTo?: readonly string[]
  notTo?: readonly string[]
}

/** Hours of the day in a time zone, in minutes since midnight; past midnight if `from` is after `until`. */
export interface HoursJson {
  from: number
  until: number
  /** IANA name of the zone. */
  zone: string
}

/** A stage as a rule names it. */
export interface RuleStageJson {
  /** Devices (`dev_…`), groups (`grp_…`), and all `own` or `shared` ones. */
  use: readonly string[]
  /** `listed`: the first listed that has room. Default: the least loaded. */
  by?: 'listed'
  /** One for each of `use`: their shares of the messages. One that works carries its share alone. */
  weights?: readonly number[]
  /** Opens once no device of the stages before has worked for this time, in seconds; null: never. Default: 0. */
  offlineSeconds?: number | null
  /** Opens for messages that have been due for this time, in seconds, regardless of the stages before. */
  afterSeconds?: number
  /** Opens while each working device of the stages before has no room. */
  busy?: true
  /** Opens in these hours only. */
  hours?: HoursJson
}

export interface WayJson {
  stages: readonly WayStageJson[]
  /** Devices that do not send to the number of the message, even if a stage names them. */
  not?: readonly string[]
}

/** A stage as it came out for one message. */
export interface WayStageJson extends Omit<RuleStageJson, 'by' | 'weights'> {
  /** `drawn`: the first listed that works, with room or not. */
  by?: 'listed' | 'drawn'
  /** Only of the way without a rule: distrusted devices, and one that refused, still count as working (decision 6). */
  onlyOffline?: true
}

/** What a rule matches: all members that are given, each by one of its values. */
export interface RuleConditions {
  /** Digits with which the number begins, without `+`. */
  to?: readonly string[]
  /** ISO 3166-1 alpha-2 codes. */
  country?: readonly string[]
  /** Senders; `` for none. */
  from?: readonly string[]
  category?: readonly Category[]
  encoding?: readonly Encoding[]
  /** Only rules of the operator. */
  account?: readonly string[]
  /** Plans of the accounts that send; `` for none. */
  plan?: readonly string[]
  /** Default: live. */
  mode?: readonly Mode[]
  minParts?: number
  maxParts?: number
}
