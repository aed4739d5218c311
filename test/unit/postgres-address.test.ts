import { expect, test } from 'vitest'
import { readAddress } from '../../src/storage/postgres/postgres-address.ts'

const place = 'postgres://ada:p%3Fw@db.example.org:5433/onesixty'

test.for([
  ['', '', ''],
  [
    '?sslmode=verify-full&sslrootcert=%2Fetc%2Fdb.pem',
    '?sslmode=verify-full&sslrootcert=%2Fetc%2Fdb.pem',
    '',
  ],
  ['?options=-csearch_path%3Dpublic', '', '-csearch_path=public'],
  [
    '?host=/run/postgresql&options=endpoint%3Done&port=6432',
    '?host=/run/postgresql&port=6432',
    'endpoint=one',
  ],
  ['?options=-c+jit%3Don&%6fptions=-c%20geqo=off', '', '-c jit=on -c geqo=off'],
  ['?application_name=x&statement_timeout=0&sslmode=disable', '?sslmode=disable', ''],
  ['?idle_in_transaction_session_timeout=0&query_timeout=1&lock_timeout=500', '', ''],
] as const)(
  'an address keeps the way to the server and gives up what would replace our settings: %s',
  ([query, kept, options]) => {
    expect(readAddress(`${place}${query}`)).toEqual({ connectionString: `${place}${kept}`, options })
  },
)
