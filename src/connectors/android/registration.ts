import type { SaidByApp, SaidSim } from './ports.ts'
import { type Answer, type Call, CallRefused, done, isRecord, type PhoneCall, type PhoneRouteDeps, readJson, textOf, wholeNumberOf } from './route.ts' // prettier-ignore

/** As long as the app's own server takes them. */
const longestName = 128
const longestSimField = 64
const maxSims = 3

/** POST /device: makes a phone of whoever shows a private token. Null when it shows none that is known. */
export async function register(
  { ports }: PhoneRouteDeps,
  call: Call,
  privateToken: string,
): Promise<Answer | null> {
  const registered = await ports.register(privateToken, readSaid(call))
  if (registered === null) return null
  const { phoneId, deviceToken, accountName, registration } = registered
  // One that waits for Google push says nothing more for a quarter of an hour: it was heard now. All others are heard at once, if the
  // answer reaches them; if not, they register again, and must not find themselves there.
  if (registration?.usesPush === true)
    ports.phone(registration.deviceId)?.contact(registration, call.appVersion)
  // Without a password the app shows "hidden": there is none.
  return { status: 201, json: { id: phoneId, token: deviceToken, login: accountName } }
}

/**
 * PATCH /device: what the app says at each start. Its token tells whose it is, whatever id it names: another answer than 204 or 401 makes
 * it ask for ever. Without a push token it has none any more.
 */
export async function update({ ports }: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  const { registration, phone, appVersion } = call
  const said = { ...readSaid(call), name: null }
  await ports.update(registration, said)
  phone?.contact(
    { ...registration, usesPush: said.usesPush, sims: said.sims ?? registration.sims },
    appVersion,
  )
  return done
}

/** GET /device: the app shows its own address by it. */
export const describe = ({ address }: Call): Answer => ({ status: 200, json: { externalIp: address } })

function readSaid(call: Call): SaidByApp {
  const body = readJson(call)
  if (!isRecord(body)) throw new CallRefused(400, 'The body is not an object.')
  const { name, pushToken, simCards } = body
  return {
    name: textOf(name, longestName),
    sims: readSims(simCards),
    usesPush: textOf(pushToken, 1) !== null,
    appVersion: call.appVersion,
  }
}

/** The SIMs of a registration or of `app:started`; null when nothing is said of them (before app 1.65). What makes no sense is left out. */
export function readSims(given: unknown): SaidSim[] | null {
  if (!Array.isArray(given)) return null
  const sims = given.slice(0, maxSims).flatMap((sim: unknown): SaidSim[] => {
    if (!isRecord(sim)) return []
    const index = wholeNumberOf(sim['slotIndex'], 0, maxSims - 1)
    const slot = wholeNumberOf(sim['simNumber'], 1, maxSims) ?? (index === null ? null : index + 1)
    const field = (name: string): string | null => textOf(sim[name], longestSimField)
    return slot === null
      ? []
      : [{ slot, number: field('phoneNumber'), carrier: field('carrierName'), iccid: field('iccid') }]
  })
  return sims.filter(({ slot }, i) => sims.findIndex((other) => other.slot === slot) === i)
}
