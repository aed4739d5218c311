import { ApiRefusal, type PhoneApi, type Registration } from './phone-api.ts'
import { isSince, type PhoneKnobs, type SimCard } from './phone-knobs.ts'

/** How a phone that holds no registration asks for one: with a private token, the name and password of an account, a code, or nothing. */
export type SignUp =
  | { privateToken: string }
  | { login: string; password: string }
  | { code: string }
  | { anonymous: true }

export interface RegistrationHouse {
  api: PhoneApi
  knobs(): PhoneKnobs
  signUp(): SignUp
  /** Absent with an event stream only. */
  pushToken(): string | null
  registration(): Registration | null
}

/** Registers, or tells the server of a start: only a 401 there makes a phone give up the registration that it holds. */
export async function register(house: RegistrationHouse, signal: AbortSignal): Promise<Registration> {
  const held = house.registration()
  if (held !== null) {
    try {
      await house.api.send({
        method: 'PATCH',
        path: '/device',
        authorization: `Bearer ${held.token}`,
        body: { id: held.id, ...pushTokenOf(house), ...simCardsOf(house) },
        signal,
      })
      return held
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 401)) throw error
    }
  }
  const answer = await house.api.read({
    method: 'POST',
    path: '/device',
    authorization: authorizationOf(house.signUp()),
    body: { name: house.knobs().name, ...pushTokenOf(house), ...simCardsOf(house) },
    signal,
  })
  return readRegistration(answer)
}

function authorizationOf(signUp: SignUp): string | null {
  if ('privateToken' in signUp) return `Bearer ${signUp.privateToken}`
  if ('code' in signUp) return `Code ${signUp.code}`
  if ('anonymous' in signUp) return null
  return `Basic ${Buffer.from(`${signUp.login}:${signUp.password}`).toString('base64')}`
}

function readRegistration(answer: unknown): Registration {
  const { id, token, login } = (answer ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || typeof token !== 'string' || typeof login !== 'string') {
    throw new TypeError('The answer to a registration lacks id, token or login.')
  }
  return { id, token, login }
}

function pushTokenOf({ pushToken }: RegistrationHouse): { pushToken?: string } {
  const token = pushToken()
  return token === null ? {} : { pushToken: token }
}

function simCardsOf({ knobs }: RegistrationHouse): { simCards?: object[] } {
  const { appVersion, simCards } = knobs()
  return isSince(appVersion, '1.65.0') ? { simCards: simCards.map((sim) => describeSim(sim, mask)) } : {}
}

/** As it stands in a request; `write` masks what the app masks there. */
export const describeSim = (
  { slotIndex, phoneNumber, carrierName, iccid }: SimCard,
  write: (value: string) => string,
): Record<string, string | number> => ({
  slotIndex,
  simNumber: slotIndex + 1,
  ...(phoneNumber === undefined ? {} : { phoneNumber: write(phoneNumber) }),
  ...(carrierName === undefined ? {} : { carrierName: write(carrierName) }),
  ...(iccid === undefined ? {} : { iccid: write(iccid) }),
})

const shown = 4

function mask(value: string): string {
  return value.length <= shown ? '****' : `${'*'.repeat(value.length - shown)}${value.slice(-shown)}`
}
