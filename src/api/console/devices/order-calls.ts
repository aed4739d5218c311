import { Type } from 'typebox'
import {
  type DeviceOrder,
  type OrderStep,
  readDeviceOrder,
  setDeviceOrder,
} from '../../../devices/routes/device-order.ts'
import { closed } from '../../../runtime/schemas.ts'
import { defineCall } from '../core/call.ts'

export interface OrderAnswer extends DeviceOrder {
  /** Up to 100 devices of the account for live messages. */
  devices: { id: string; name: string }[]
  /** The operator shares devices for live messages. */
  hasShared: boolean
  canSet: boolean
}

const Step = Type.Object(
  {
    use: Type.String({ pattern: '^(?:own|shared|dev_[0-9a-z_]{1,60})$' }),
    isForBusy: Type.Boolean(),
    afterMinutes: Type.Union([Type.Integer({ minimum: 1, maximum: 43_200 }), Type.Null()]),
  },
  closed,
)
const maxDevices = 100

/** The order in which live messages of an account go over devices, as its members see and its owners set it. */
export const orderCalls = {
  'devices/order': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ read, account }): Promise<OrderAnswer> {
      const live = read.selectFrom('devices').select(['id', 'name']).where('mode', '=', 'live').where('state', '!=', 'retired') // prettier-ignore
      const [order, devices, shared] = await Promise.all([
        readDeviceOrder(read, account.id),
        live.where('account_id', '=', account.id).orderBy('id').limit(maxDevices).execute(),
        live.where('account_id', 'is', null).limit(1).execute(),
      ])
      return { ...order, devices, hasShared: shared.length > 0, canSet: account.role === 'owner' }
    },
  }),

  'devices/set-order': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ steps: Type.Array(Step, { maxItems: 20 }) }, closed),
    async handle(
      { writer, ids, clock, account, actor },
      { steps }: { steps: OrderStep[] },
    ): Promise<{ steps: number }> {
      const order = { accountId: account.id, steps, actor }
      await writer.write((tx) => setDeviceOrder(tx, { ids, nowMs: clock.now() }, order))
      return { steps: steps.length }
    },
  }),
}
