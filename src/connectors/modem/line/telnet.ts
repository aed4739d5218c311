const iac = 0xff
const [will, wont, do_, dont, subnegotiation, subnegotiationEnd] = [0xfb, 0xfc, 0xfd, 0xfe, 0xfa, 0xf0]
/** Octets of any value (RFC 856), and no half-duplex (RFC 858). */
const binary = 0
const suppressGoAhead = 3
const agreed: ReadonlySet<number> = new Set([binary, suppressGoAhead])

/**
 * Telnet (RFC 854) around the octets of a modem: takes the commands out of what is received and answers them,
 * and doubles the octet of commands in what is sent. BINARY and SUPPRESS-GO-AHEAD are agreed to, anything else
 * is refused: a port of a terminal server then passes octets on as they are.
 */
export class Telnet {
  readonly #reply: (octets: Buffer) => void
  #state: 'data' | 'command' | 'option' | 'inside' | 'inside command' = 'data'
  #verb = 0
  /** Answers that were given, which keeps two sides from confirming each other's confirmations endlessly. */
  readonly #given = new Set<number>()

  constructor(reply: (octets: Buffer) => void) {
    this.#reply = reply
  }

  /** Returns the data among these octets; a command may be cut anywhere. */
  received(octets: Uint8Array): Buffer {
    const data: number[] = []
    for (const octet of octets) {
      if (this.#state === 'data') {
        if (octet === iac) this.#state = 'command'
        else data.push(octet)
      } else if (this.#state === 'command') {
        if (octet === iac) data.push(octet)
        this.#state = this.#afterCommand(octet)
      } else if (this.#state === 'option') {
        this.#answer(this.#verb, octet)
        this.#state = 'data'
      } else if (this.#state === 'inside') {
        if (octet === iac) this.#state = 'inside command'
      } else this.#state = octet === subnegotiationEnd ? 'data' : 'inside'
    }
    return Buffer.from(data)
  }

  /** Returns the octets as they are to be sent. */
  sent(octets: Uint8Array): Buffer {
    return Buffer.from(Array.from(octets).flatMap((octet) => (octet === iac ? [iac, iac] : [octet])))
  }

  #afterCommand(octet: number): 'data' | 'option' | 'inside' {
    if (octet === subnegotiation) return 'inside'
    if (octet < will || octet === iac) return 'data'
    this.#verb = octet
    return 'option'
  }

  /** A WILL is answered by DO or DONT, a DO by WILL or WONT; a refusal is only confirmed. */
  #answer(verb: number, option: number): void {
    const isAgreed = agreed.has(option)
    const answer = {
      [will]: isAgreed ? do_ : dont,
      [wont]: dont,
      [do_]: isAgreed ? will : wont,
      [dont]: wont,
    }[verb] as number
    const key = answer * 0x100 + option
    if (this.#given.has(key)) return
    this.#given.add(key)
    this.#reply(Buffer.from([iac, answer, option]))
  }
}
