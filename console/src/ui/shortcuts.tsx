import { Kbd, Stack, Switch } from '@mantine/core'
import { useState } from 'react'
import { DataTable } from './data-table.tsx'
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
        <DataTable>
          <tbody>
            {shortcuts.map(({ keys, does }) => (
              <tr key={does}>
                <th scope="row" style={{ width: 110, fontWeight: 400, whiteSpace: 'nowrap' }}>
                  {keys.map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </th>
                <td>{does}</td>
              </tr>
            ))}
          </tbody>
        </DataTable>
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
