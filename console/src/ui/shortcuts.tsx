import { Kbd, Stack, Switch } from '@mantine/core'
import { useState } from 'react'
import { DataTable } from './data-table.tsx'
import { Dialog } from './dialog.tsx'
import { hasSingleKeys, paletteKey, setSingleKeys } from './keys.ts'

const shortcuts: readonly { keys: readonly string[]; does: string }[] = [
  { keys: [paletteKey], does: 'Search pages, actions and messages' },
  { keys: ['/'], does: 'Search, outside of text fields' },
  { keys: ['?'], does: 'Show this list' },
  { keys: ['↑', '↓'], does: 'Move through an open list' },
  { keys: ['Enter'], does: 'Select' },
  { keys: ['Esc'], does: 'Close' },
  { keys: ['Tab'], does: 'Next field or button; at the top: skip to content' },
]

/** Dialog with the list of keyboard shortcuts. */
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
          label="Single-key shortcuts ( / and ? )"
          description="Turn off if you use speech input: spoken words could trigger them."
          checked={isOn}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </Stack>
    </Dialog>
  )
}
