import type { Config } from '../../config.ts'
import type { PhoneDeps } from './registered-phones.ts'

/**
 * Returns what storing a phone of a kind needs. `isPresent` is omitted where no phone registers by itself: a phone that
 * onesixty visits is found by its installation.
 */
export const createPhoneDeps = (
  {
    config,
    ...deps
  }: Pick<PhoneDeps, 'ids' | 'nowMs' | 'secretBox' | 'randomBytes'> & {
    config: Pick<Config, 'phonesPerAccount'>
  },
  rules: PhoneDeps['rules'] & { kind: string },
  isPresent: PhoneDeps['isPresent'] = () => false,
): PhoneDeps => ({
  ids: deps.ids,
  nowMs: deps.nowMs,
  secretBox: deps.secretBox,
  randomBytes: deps.randomBytes,
  kind: rules.kind,
  rules,
  isPresent,
  maxPhones: config.phonesPerAccount,
})
