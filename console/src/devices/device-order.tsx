import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { lazyPart } from '../connection/lazy-part.ts'
import { Dialog } from '../ui/dialog.tsx'

const OrderForm = lazyPart(async () => (await import('./order-form.tsx')).OrderForm)

/** Button that opens the order of an account's devices. Rules concern live messages. */
export function DeviceOrder() {
  const { mode } = useAccountPlace()
  const { data: order } = useCall('devices/order', {}, { enabled: mode === 'live' })
  const [opened, { open, close }] = useDisclosure()
  if (order === undefined || mode !== 'live' || order.devices.length === 0) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Order
      </Button>
      <Dialog opened={opened} onClose={close} title="Order of devices" size="lg">
        <OrderForm order={order} onClose={close} />
      </Dialog>
    </>
  )
}
