import type { Fault } from '../runtime/errors.ts'
import { echoedTextFault, memberPointer, scalarFault } from '../runtime/field-faults.ts'

const maxMembers = 10
const maxCharacters = 200
const maxBytes = 2048
const memberName = /^[A-Za-z0-9_.-]{1,40}$/

/** Returns all faults of `metadata`: up to 10 named texts of up to 200 characters, 2 KiB as JSON. */
export function metadataFaults(pointer: string, value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer, code: 'wrong_type', detail: 'Must be an object with string values.' }]
  }
  const members = Object.entries(value as Readonly<Record<string, unknown>>)
  if (members.length > maxMembers)
    return [{ pointer, code: 'too_many_items', detail: `Must have at most ${maxMembers} entries.` }]
  const faults = members.flatMap(
    ([name, text]) => memberFault(memberPointer(pointer, name), name, text) ?? [],
  )
  if (faults.length > 0 || Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return faults
  return [{ pointer, code: 'too_long', detail: `Must not be larger than ${maxBytes} bytes as JSON.` }]
}

function memberFault(pointer: string, name: string, text: unknown): Fault | null {
  if (!memberName.test(name)) {
    return {
      pointer,
      code: 'invalid_format',
      detail: 'A name has 1 to 40 letters, digits, underscores, dots and dashes.',
    }
  }
  return (
    scalarFault(pointer, { type: 'string', maxLength: maxCharacters }, text) ??
    echoedTextFault(pointer, text as string)
  )
}
