import { Kbd, Stack, Switch, Table } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from './dialog.tsx'
import { hasSingleKeys, paletteKey, setSingleKeys } from './keys.ts'

const shortcuts: readonly { keys: readonly string[]; does: string }[] = [
  { keys: [paletteKey], does: 'Search pages, actions and messages' },
  { keys: ['/'], does: 'The same, while nothing is being typed' },
  { keys: ['?'], does: 'This list' },
  { keys: ['↑', '↓'], does: 'Choose in a list that is open' },
  { keys: ['Enter'], does: 'Take what is chosen' },
  { keys: ['Esc'], does: 'Close what is open' },
  { keys: ['Tab'], does: 'Go to the next field or button; from the top, skip to the content' },
]

/** Which keys do what. */
export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys)
  const turn = (on: boolean): void => {
    setSingleKeys(on)
    setOn(on)
  }
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack>
        <Table verticalSpacing="xs" withRowBorders={false}>
          <Table.Tbody>
            {shortcuts.map(({ keys, does }) => (
              <Table.Tr key={does}>
                <Table.Th scope="row" w={110} fw={400} style={{ whiteSpace: 'nowrap' }}>
                  {keys.map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </Table.Th>
                <Table.Td>{does}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label="Single keys ( / and ? )"
          description="Off for those who dictate: a word could press them."
          checked={isOn}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </Stack>
    </Dialog>
  )
}
