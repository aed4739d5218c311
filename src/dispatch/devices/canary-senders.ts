import type { Db } from '../../storage/seam/dialect.ts'

/** The devices that send canaries, so that all others are asked nothing about them. Read by the runner of each node. */
export class CanarySenders {
  #deviceIds: ReadonlySet<string> = new Set()

  has(deviceId: string): boolean {
    return this.#deviceIds.has(deviceId)
  }

  get isEmpty(): boolean {
    return this.#deviceIds.size === 0
  }

  async refresh(read: Db): Promise<void> {
    const rows = await read.selectFrom('canaries').select('from_device').distinct().execute()
    this.#deviceIds = new Set(rows.map((row) => row.from_device))
  }
}
