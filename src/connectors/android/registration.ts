import type { SaidByApp, SaidSim } from './ports.ts'
import { type Answer, type Call, CallRefused, done, isRecord, type PhoneCall, type PhoneRouteDeps, readJson, textOf, wholeNumberOf } from './route.ts' // prettier-ignore

/** The limit of the app's own server. */
const maxNameLength = 128
const maxSimFieldLength = 64
const maxSims = 3

/** POST /device: registers a phone that presents a private token. Null for an unknown token. */
export async function register(
  { ports }: PhoneRouteDeps,
  call: Call,
  privateToken: string,
): Promise<Answer | null> {
  const registered = await ports.register(privateToken, readReported(call))
  if (registered === null) return null
  const { phoneId, deviceToken, accountName, registration } = registered
  // A phone with Google push makes no contact for a quarter of an hour: its contact is now. All others make
  // contact immediately, if the response reaches them. If not, they register again, and must not find
  // themselves registered.
  if (registration?.usesPush === true)
    ports.phone(registration.deviceId)?.contact(registration, call.appVersion)
  // Without a password the app shows "hidden": there is none.
  return { status: 201, json: { id: phoneId, token: deviceToken, login: accountName } }
}

/**
 * PATCH /device: what the app reports at each start. Its token identifies it, regardless of the ID in the
 * body: any response except 204 and 401 makes it retry indefinitely. Without a push token it has none any
 * more.
 */
export async function update({ ports }: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  const { registration, phone, appVersion } = call
  const reported = { ...readReported(call), name: null }
  await ports.update(registration, reported)
  phone?.contact(
    { ...registration, usesPush: reported.usesPush, sims: reported.sims ?? registration.sims },
    appVersion,
  )
  return done
}

/** GET /device: the app shows its own address from it. */
export const describe = ({ address }: Call): Answer => ({ status: 200, json: { externalIp: address } })

function readReported(call: Call): SaidByApp {
  const body = readJson(call)
  if (!isRecord(body)) throw new CallRefused(400, 'The body is not an object.')
  const { name, pushToken, simCards } = body
  return {
    name: textOf(name, maxNameLength),
    sims: readSims(simCards),
    usesPush: textOf(pushToken, 1) !== null,
    appVersion: call.appVersion,
  }
}

/**
 * Returns the SIMs of a registration or of `app:started`; null if it does not report them (before app 1.65).
 * Invalid entries are omitted.
 */
export function readSims(given: unknown): SaidSim[] | null {
  if (!Array.isArray(given)) return null
  const sims = given.slice(0, maxSims).flatMap((sim: unknown): SaidSim[] => {
    if (!isRecord(sim)) return []
    const index = wholeNumberOf(sim['slotIndex'], 0, maxSims - 1)
    const slot = wholeNumberOf(sim['simNumber'], 1, maxSims) ?? (index === null ? null : index + 1)
    const field = (name: string): string | null => textOf(sim[name], maxSimFieldLength)
    return slot === null
      ? []
      : [{ slot, number: field('phoneNumber'), carrier: field('carrierName'), iccid: field('iccid') }]
  })
  return sims.filter(({ slot }, i) => sims.findIndex((other) => other.slot === slot) === i)
}
