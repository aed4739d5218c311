import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import type { SendOptions } from './send-options.ts'
import { Later } from '../ui/later.tsx'

const OptionFields = lazyPart(async () => (await import('./option-fields.tsx')).OptionFields)

/** Options of a send, collapsed by default. */
export function FoldedOptions(properties: { value: SendOptions; onChange: (value: SendOptions) => void }) {
  const [isOpen, { toggle }] = useDisclosure()
  return (
    <Stack gap="sm">
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isOpen}
          aria-controls="options"
          onClick={toggle}
        >
          {isOpen ? 'Fewer options' : 'Options'}
        </Button>
      </Group>
      <div id="options" hidden={!isOpen}>
        {isOpen ? (
          <Later height={200}>
            <OptionFields {...properties} />
          </Later>
        ) : null}
      </div>
    </Stack>
  )
}
