import { readConfig } from '../../src/config.ts'
import { type DeviceStanding, recordStandings } from '../../src/devices/status/device-history.ts'
import { createAlertMailer } from '../../src/dispatch/sweepers/alert-mailer.ts'
import { createAlertWatch } from '../../src/dispatch/sweepers/alert-watch.ts'
import { grantSms } from '../../src/ledger/grants.ts'
import { createLog } from '../../src/process/log.ts'
import { createMailer } from '../../src/process/mailer.ts'
import { recordNodeCertificate } from '../../src/storage/instance/node-certificates.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { NodeCertificate } from '../../src/storage/tables/json-columns.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

/** The store, with the account `acc_a` that Ada owns and Olga who operates the instance, and a mail server. */
export interface AlertHouse extends MessagesFixture {
  post: MailServer
  /** Looks and sends as a process does that has just started; with other settings. */
  look(settings?: Record<string, string>): Promise<void>
  /** A node has this certificate; or it has left. */
  setCertificate(epoch: number, certificate: NodeCertificate, leftAt?: number): Promise<void>
  /** Subjects of the mails so far, with whom they went to. */
  told(): string[]
  minutes(count: number): void
  setStanding(deviceId: string, status: DeviceStanding['status'], reasons?: string[]): Promise<unknown>
  grant(sms: number): Promise<void>
  closeAll(): Promise<void>
}

export async function openAlertHouse(): Promise<AlertHouse> {
  const house = await openMessagesFixture()
  const { storage, clock, ids } = house
  const post = await startMailServer()
  await house.addAccount('acc_a', 100)
  const user = (id: string, isOperator: 0 | 1) => ({
    id,
    email: `${id}@example.org`,
    name: id,
    is_operator: isOperator,
    created_at: 1,
  })
  await storage.writer.write(async (tx) => {
    await insertRows(tx, 'users', [user('ada', 0), user('bob', 0), user('olga', 1)])
    await insertRows(tx, 'account_users', [
      { account_id: 'acc_a', user_id: 'ada', role: 'owner' },
      { account_id: 'acc_a', user_id: 'bob', role: 'member' },
    ])
  })
  let complaints = ''
  const log = createLog('error', { write: (line: string) => void (complaints += line) })
  const alerts: AlertHouse = {
    ...house,
    post,
    async look(settings = {}) {
      const config = readConfig({ ONESIXTY_SMTP_URL: post.url, ...settings })
      const publicUrl = (): string => 'https://sms.example.org'
      const deps = {
        ...house,
        log,
        ids,
        config,
        read: storage.read,
        writer: storage.writer,
        publicUrl,
      }
      complaints = ''
      await createAlertWatch(deps).sweepAll()
      if (complaints !== '') throw new Error(complaints)
      await createAlertMailer({ ...deps, mailer: createMailer(deps) }).sweepAll()
    },
    told: () =>
      post.mails
        .map(({ to, subject }) => `${to.split('@')[0]}: ${subject.replace('[onesixty] ', '')}`)
        .toSorted(),
    minutes: (count) => clock.jumpWallClock(count * 60_000),
    setStanding: (deviceId, status, reasons = []) =>
      storage.writer.write((tx) => recordStandings(tx, [{ deviceId, status, reasons, atMs: clock.now() }])),
    async setCertificate(epoch, certificate, leftAt) {
      const row = {
        name: `node ${epoch}`,
        started_at: 1,
        beat_at: 1,
        left_at: leftAt ?? null,
        tidies: 0,
      } as const
      await storage.writer.write((tx) =>
        tx
          .insertInto('nodes')
          .values({ epoch, ...row })
          .onConflict((conflict) => conflict.column('epoch').doUpdateSet(row))
          .execute(),
      )
      await recordNodeCertificate(storage, epoch, certificate)
    },
    grant: (sms) =>
      storage.writer.write(async (tx) => {
        const wallet = { accountId: 'acc_a', mode: 'live', note: 'n', actor: 'test' } as const
        await grantSms(
          tx,
          { ids, nowMs: clock.now() },
          { ...wallet, sms, kind: sms > 0 ? 'grant' : 'correction' },
        )
      }),
    async closeAll() {
      await post.stop()
      await house.close()
    },
  }
  return alerts
}
