import { Memory } from './memories.ts'

/** A SIM card as it is handed in. */
export interface SimSettings {
  iccid: string
  imsi: string
  /** Null for a card that asks for none. */
  pin: string | null
  triesLeft: number
  puk: string
  pukTriesLeft: number
  /** The SMSC on the card; null for none. */
  smsc: string | null
}

export const defaultSim: SimSettings = {
  iccid: '8949020000000000011',
  imsi: '262020000000001',
  pin: null,
  triesLeft: 3,
  puk: '12345678',
  pukTriesLeft: 10,
  smsc: '+491710760000',
}

export type SimState = 'ready' | 'pin' | 'puk' | 'dead'

/** A card: what it counts stays with it, in whichever modem it is. */
export class SimCard {
  readonly settings: SimSettings
  /** SMS that are stored on it. */
  readonly memory: Memory
  #isUnlocked = false

  constructor(settings: SimSettings, places: number, firstIndex: number) {
    this.settings = { ...settings }
    this.memory = new Memory(places, firstIndex)
  }

  get state(): SimState {
    const { pin, triesLeft, pukTriesLeft } = this.settings
    if (pukTriesLeft === 0) return 'dead'
    if (triesLeft === 0) return 'puk'
    return pin === null || this.#isUnlocked ? 'ready' : 'pin'
  }

  /** As when its power was off. */
  lock(): void {
    this.#isUnlocked = false
  }

  /** Tries a PIN (with one try less where it is wrong), or where the PUK is wanted the PUK with a new PIN. */
  enter(code: string, newPin: string | null): 'right' | 'wrong' | 'puk-right' | 'puk-wrong' | 'refused' {
    const { settings } = this
    if (this.state === 'pin' && newPin === null) {
      if (code !== settings.pin) {
        settings.triesLeft -= 1
        return 'wrong'
      }
      settings.triesLeft = 3
      this.#isUnlocked = true
      return 'right'
    }
    if (this.state !== 'puk' || newPin === null) return 'refused'
    if (code !== settings.puk) {
      settings.pukTriesLeft -= 1
      return 'puk-wrong'
    }
    Object.assign(settings, { pin: newPin, triesLeft: 3, pukTriesLeft: 10 })
    this.#isUnlocked = true
    return 'puk-right'
  }
}
