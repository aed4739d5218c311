import { Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { RulesAnswer, RuleView } from '../../../src/api/console/operator/rule-calls.ts'
import type { ConditionList, ConditionTexts } from '../../../src/devices/routes/rule-words.ts'
import { useChange } from '../api/use-call.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'

const lists: readonly { name: ConditionList; label: string; placeholder: string }[] = [
  { name: 'to', label: 'Numbers that begin with', placeholder: '49,33' },
  { name: 'country', label: 'Countries', placeholder: 'DE,FR' },
  { name: 'from', label: 'Senders', placeholder: 'Shop,none' },
  { name: 'category', label: 'Categories', placeholder: 'authentication' },
  { name: 'encoding', label: 'Encodings', placeholder: 'gsm7,ucs2' },
  { name: 'account', label: 'Accounts', placeholder: 'acc_…' },
  { name: 'plan', label: 'Plans of accounts', placeholder: 'pro,none' },
  { name: 'mode', label: 'Modes', placeholder: 'live' },
]
const listNames = lists.map(({ name }) => name)

const effects = [
  { value: 'way', label: 'Go this way' },
  { value: 'refuse', label: 'Are refused' },
]

/** Form for a rule: whose messages, its conditions, and the way. */
export function RuleForm(properties: {
  /** Null: a new one. */
  rule: RuleView | null
  names: RulesAnswer['names']
  onClose: () => void
}) {
  const { rule, names, onClose } = properties
  const [name, setName] = useState(rule?.name ?? '')
  const [account, setAccount] = useState('')
  const [conditions, setConditions] = useState<ConditionTexts>(rule?.texts ?? {})
  const [effect, setEffect] = useState(rule !== null && rule.way === null ? 'refuse' : 'way')
  const [way, setWay] = useState(rule?.way ?? '')
  const add = useChange('operator/add-rule', ['operator/rules', 'operator/audit'])
  const change = useChange('operator/change-rule', ['operator/rules', 'operator/audit'])
  const call = rule === null ? add : change
  const submit = (): void => {
    const written = { name, conditions, way: effect === 'refuse' ? null : way }
    const after = { onSuccess: onClose }
    if (rule !== null) change.mutate({ ...written, ruleId: rule.id }, after)
    else add.mutate({ ...written, accountId: account.trim() === '' ? null : account.trim() }, after)
  }
  const setParts = (which: 'minParts' | 'maxParts', value: number | string): void => {
    const { [which]: _, ...others } = conditions
    setConditions(value === '' ? others : { ...others, [which]: Number(value) })
  }
  return (
    <CallForm
      call={call}
      onSubmit={submit}
      onCancel={onClose}
      action={rule === null ? 'Add rule' : 'Save rule'}
      ownFaults={[...listNames, 'way', 'name']}
    >
      <TextInput
        label="Name"
        required
        value={name}
        error={faultOf(call.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {rule === null ? (
        <TextInput
          label="Owner"
          description="ID of the account whose own rule it is. Empty: the operator."
          placeholder="acc_…"
          value={account}
          onChange={(event) => setAccount(event.currentTarget.value)}
        />
      ) : null}
      <Text size="sm">
        Conditions: all that are given must fit. Each is a list, separated by commas, of which a message must
        have one.
      </Text>
      <Group grow preventGrowOverflow={false} align="end">
        {lists.map(({ name: list, label, placeholder }) => (
          <TextInput
            key={list}
            label={label}
            placeholder={placeholder}
            value={conditions[list] ?? ''}
            error={faultOf(call.error, list)}
            onChange={(event) => setConditions({ ...conditions, [list]: event.currentTarget.value })}
          />
        ))}
        {(['minParts', 'maxParts'] as const).map((which) => (
          <NumberInput
            key={which}
            label={which === 'minParts' ? 'Parts, at least' : 'Parts, at most'}
            min={1}
            max={10}
            allowDecimal={false}
            value={conditions[which] ?? ''}
            onChange={(value) => setParts(which, value)}
          />
        ))}
      </Group>
      <Choice label="Messages that match" data={effects} value={effect} onChange={setEffect} />
      {effect === 'refuse' ? null : (
        <>
          <TextInput
            label="Way"
            description="Stages separated by ; with devices, groups, own or shared separated by commas, and what opens each."
            placeholder="own; shared after=5m"
            required
            value={way}
            error={faultOf(call.error, 'way')}
            onChange={(event) => setWay(event.currentTarget.value)}
          />
          <Names of={names} />
        </>
      )}
    </CallForm>
  )
}

const Names = ({ of }: { of: RulesAnswer['names'] }) =>
  of.length === 0 ? null : (
    <Stack gap={2}>
      <Text size="sm">Groups and shared devices:</Text>
      {of.map(({ id, name }) => (
        <Text key={id} size="xs" style={{ overflowWrap: 'anywhere' }}>
          <code>{id}</code> {name}
        </Text>
      ))}
    </Stack>
  )
