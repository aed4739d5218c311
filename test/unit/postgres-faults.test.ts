import { expect, test } from 'vitest'
import { isSurprise, refusalFrom } from '../../src/api/edge/problem.ts'
import { isTransient } from '../../src/storage/seam/dialect.ts'
import { asStorageError, faultOfState } from '../../src/storage/postgres/postgres-faults.ts'

const said = (code: string, severity = 'ERROR') =>
  Object.assign(new Error('says the server'), { code, severity })

test('what PostgreSQL says is told apart by what has to follow from it', () => {
  const faults = Object.fromEntries(
    ['22021', '22P05', '22003', '23505', '23514', '40001', '40P01', '53100', '55P03', '57014', '53300', '53200', '57P01', '57P03', '25006', '25P03', '08006', '58030', 'XX001', 'XX002', '42601'].map(
      (state) => [state, faultOfState(state)],
    ),
  ) // prettier-ignore
  expect(faults).toEqual({
    '22021': 'constraint', '22P05': 'constraint', '22003': 'constraint', '23505': 'constraint', '23514': 'constraint', '40001': 'conflict', '40P01': 'conflict', '53100': 'full', '55P03': 'busy', '57014': 'busy',
    '53300': 'busy', '53200': 'unavailable', '57P01': 'unavailable', '57P03': 'unavailable', '25006': 'unavailable', '25P03': 'unavailable',
    '08006': 'unavailable', '58030': 'unavailable', XX001: 'damaged_page', XX002: 'damaged_page', '42601': 'other',
  }) // prettier-ignore
})

test('a statement that is refused leaves its transaction standing, a conflict and a lost connection do not', () => {
  expect(asStorageError(said('23505'))).toMatchObject({ fault: 'constraint', transactionLost: false })
  expect(asStorageError(said('57014'))).toMatchObject({ fault: 'busy', transactionLost: false })
  expect(asStorageError(said('40P01'))).toMatchObject({ fault: 'conflict', transactionLost: true })
  expect(asStorageError(said('57P01', 'FATAL'))).toMatchObject({
    fault: 'unavailable',
    transactionLost: true,
  })
})

test('what the server did not say was said by the connection, and passes', () => {
  const error = asStorageError(new Error('Connection terminated unexpectedly'))
  expect(error).toMatchObject({ fault: 'unavailable', transactionLost: true })
  expect(isTransient(error)).toBe(true)
  expect(isTransient(asStorageError(said('42601')))).toBe(false)
})

// The words of pg 8.23.1, lib/crypto/sasl.js.
test.for(['string', 'non-empty string'])(
  'that a password is missing is said in words of ours (%s)',
  (what) => {
    const { message } = asStorageError(
      new Error(`SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a ${what}`),
    )
    expect(message).toBe('PostgreSQL requires a password, and none is set')
  },
)

test('of a damaged page whoever met it is told, and so is the log', () => {
  const damaged = asStorageError(said('XX001'))
  expect(refusalFrom(damaged)).toMatchObject({ code: 'storage_damaged' })
  expect([isSurprise(damaged), isTransient(damaged)]).toEqual([true, false])
})

test('a value that the database refuses for what it is is the fault of whoever sent it, and is looked into all the same', () => {
  const unfit = asStorageError(said('22021'))
  expect(refusalFrom(unfit)).toMatchObject({ code: 'malformed_request' })
  expect([isSurprise(unfit), isTransient(unfit)]).toEqual([true, false])
  expect(refusalFrom(asStorageError(said('23505')))).toMatchObject({ code: 'internal_error' })
})
