import { onTestFinished } from 'vitest'
import { atFileEnd } from '../at-file-end.ts'
import { startSmsc, type SmscControl } from '../peers/smsc-control.ts'
import type { SmscChange } from '../peers/smsc/smsc-settings.ts'
import { type NpmEsme, type NpmEsmeOptions, openNpmEsme } from './npm-esme.ts'

let shared: Promise<SmscControl> | null = null

atFileEnd(async () => {
  const ending = shared
  shared = null
  await (await ending)?.stop()
})

/** A foreign SMSC as after a start. All tests of a file have the same process, one after the other. */
export async function openSmsc(settings: SmscChange = {}, seed = 1): Promise<SmscControl> {
  const isFirst = shared === null
  shared ??= startSmsc({ settings, seed })
  const smsc = await shared
  if (!isFirst) await smsc.renew({ settings, seed })
  return smsc
}

/** An ESME that ends with the test. */
export async function openEsme(
  smsc: SmscControl,
  options: Omit<NpmEsmeOptions, 'port'> = {},
): Promise<NpmEsme> {
  const esme = await openNpmEsme({ port: smsc.port, ...options })
  onTestFinished(esme.close)
  return esme
}

/** A plain submit; every text asks for a receipt. */
export const submitFields = (
  text = 'Hello',
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  source_addr_ton: 5,
  source_addr: 'SHOP',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: '491511234567',
  registered_delivery: 1,
  data_coding: 0,
  short_message: text,
  ...more,
})

export const textOf = (pdu: { short_message?: unknown }): string =>
  (pdu.short_message as { message: string }).message

/** A submit_sm written by hand. */
export function submitBytes({ source = '53484f50', tlvs = '' }): Buffer {
  const body = `00 0000 ${source}00 0101 34393100 000000 00 00 0000 0000 0141 ${tlvs}`
  const bytes = Buffer.from(body.replaceAll(' ', ''), 'hex')
  const header = Buffer.from('00000000000000040000000000000063', 'hex')
  header.writeUInt32BE(16 + bytes.length, 0)
  return Buffer.concat([header, bytes])
}
