import { Button, Group, NumberInput, Paper, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { BalanceAnswer } from '../../../src/api/console/account/balance-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { formatNumber } from '../ui/format.ts'

/** Form for the low-balance threshold; only an owner can change it. */
export function LowThreshold({ of }: { of: BalanceAnswer }) {
  const { mode } = useAccountPlace()
  const [threshold, setThreshold] = useState<number | string>(of.lowThreshold)
  const set = useChange('balance/threshold', ['balance/summary', 'overview/now'])
  const isValid = typeof threshold === 'number' && Number.isInteger(threshold) && threshold >= 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isValid) set.mutate({ threshold })
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Title order={2}>Low balance</Title>
        <Text size="sm" maw={640}>
          With this many {mode} SMS or fewer, the balance is shown as low and each send returns the warning{' '}
          <code>low_balance</code>.
        </Text>
        {of.canSetThreshold ? (
          <form onSubmit={submit}>
            <Group gap="sm" align="end">
              <NumberInput
                label="Warn at"
                suffix=" SMS"
                size="sm"
                w={160}
                min={0}
                max={1_000_000_000}
                allowDecimal={false}
                thousandSeparator=" "
                value={threshold}
                onChange={setThreshold}
                error={set.isError ? set.error.message : undefined}
              />
              <Button
                type="submit"
                size="sm"
                variant="default"
                loading={set.isPending}
                disabled={!isValid || threshold === of.lowThreshold}
              >
                Save
              </Button>
            </Group>
          </form>
        ) : (
          <Text size="sm">
            Set to {formatNumber(of.lowThreshold)} SMS. Only an owner of the account can change it.
          </Text>
        )}
      </Stack>
    </Paper>
  )
}
