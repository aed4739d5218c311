import { Anchor, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import { useCall } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { languageName } from './language-name.ts'

const KeywordSets = lazyPart(async () => (await import('./keyword-sets.tsx')).KeywordSets)

/** Summarizes the keywords of the account; a dialog shows them, where owners can edit them. */
export function Keywords() {
  const { data } = useCall('keywords/list', {})
  const [opened, { open, close }] = useDisclosure()
  if (data === undefined) return null
  const { sets, canSet } = data
  return (
    <Text component="div" size="sm">
      <b>Keywords:</b>{' '}
      {sets.length === 0
        ? 'built-in words only.'
        : `own sets for ${sets.map(({ language }) => languageName(language)).join(', ')}.`}{' '}
      <Anchor component="button" type="button" size="sm" onClick={open}>
        {canSet ? 'Change keywords' : 'Show keywords'}
      </Anchor>
      <Dialog opened={opened} onClose={close} title="Keywords" size="lg">
        <KeywordSets sets={sets} canSet={canSet} />
      </Dialog>
    </Text>
  )
}
