import type { ConsolePerson, TestConsole } from './start-console.ts'

/** How everything stands that a person has: what a call of somebody else must not change. */
export async function standingOf(
  { app }: TestConsole,
  { accountId, userId }: ConsolePerson,
): Promise<Record<string, unknown[]>> {
  const db = app.storage.read
  return {
    keys: await db.selectFrom('api_keys').select(['id', 'expires_at', 'revoked_at']).where('account_id', '=', accountId).orderBy('id').execute(),
    devices: await db.selectFrom('devices').select(['id', 'name', 'state', 'draining']).where('account_id', '=', accountId).orderBy('id').execute(),
    phoneTokens: await db.selectFrom('phone_tokens').selectAll().where('account_id', '=', accountId).orderBy('id').execute(),
    endpoints: await db.selectFrom('webhook_endpoints').select(['id', 'url', 'state', 'secret']).where('account_id', '=', accountId).orderBy('id').execute(),
    tests: await db.selectFrom('webhook_events').select('id').where('account_id', '=', accountId).where('type', '=', 'webhook.test').orderBy('id').execute(),
    messages: await db.selectFrom('messages').select(['id', 'status', 'recipient', 'send_at']).where('account_id', '=', accountId).orderBy('id').execute(),
    optOuts: await db.selectFrom('opt_outs').select('recipient').where('account_id', '=', accountId).orderBy('recipient').execute(),
    people: await db.selectFrom('account_users').selectAll().where('account_id', '=', accountId).orderBy('user_id').execute(),
    invitations: await db.selectFrom('one_time_links').selectAll().where('account_id', '=', accountId).orderBy('id').execute(),
    sessions: await db.selectFrom('auth_sessions').select('id').where('userId', '=', userId).orderBy('id').execute(),
    passkeys: await db.selectFrom('passkeys').select('id').where('user_id', '=', userId).orderBy('id').execute(),
  }
} // prettier-ignore
