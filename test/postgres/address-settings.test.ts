import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { accountReader } from '../../src/storage/postgres/row-security.ts'
import { openServed, openThroughProxy } from './served-storage.ts'

const asked = [
  'options=-csearch_path%3Dpublic%20-cwork_mem%3D5MB%20-crole%3Dnone%20-cstatement_timeout%3D0',
  'application_name=mine',
  'statement_timeout=0',
  'query_timeout=60000',
  'idle_in_transaction_session_timeout=60000',
].join('&')

test('settings in the address are added to those of the program, and replace none of them', async () => {
  const { url } = await openServed()
  const { storage } = await openThroughProxy(`${url}?${asked}`)
  const { rows } = await sql`
    select current_setting('role') as role, current_setting('default_transaction_read_only') as read_only,
      current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('tcp_user_timeout') as unread, current_setting('plan_cache_mode') as plans,
      current_setting('application_name') as name, current_setting('work_mem') as work_mem`.execute(
    storage.readOf('acc_a'),
  )
  expect(rows).toEqual([
    {
      role: accountReader, read_only: 'on', statement: '500ms', idle: '5s', unread: '5000', plans: 'force_custom_plan',
      name: 'served', work_mem: '5MB',
    },
  ]) // prettier-ignore
})
