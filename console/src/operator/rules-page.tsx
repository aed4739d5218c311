import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { RulesAnswer, RuleView } from '../../../src/api/console/operator/rule-calls.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { RemoveRule } from './remove-rule.tsx'
import { RuleForm } from './rule-form.tsx'

/** Page with the rules of routes, in the order in which they are asked. */
export function RulesPage() {
  const rules = useCall('operator/rules', {})
  const [edited, setEdited] = useState<RuleView | 'new' | null>(null)
  const close = (): void => setEdited(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Rules</Title>
        <Button size="xs" onClick={() => setEdited('new')}>
          Add rule
        </Button>
      </Group>
      <Text size="sm" maw={700}>
        Rules decide over which devices messages go. They are asked in order, those of an account before those
        of the operator, and the first that matches counts. A rule concerns what is accepted from then on.{' '}
        <Anchor href="/docs/guides/routes" target="_blank" size="sm">
          Guide to routes
        </Anchor>
      </Text>
      <ListState
        query={rules}
        isEmpty={(answer) => answer.rules.length === 0}
        empty={
          <EmptyText title="No rules yet">
            <Text size="sm">Own devices carry everything, and shared ones while none of them works.</Text>
          </EmptyText>
        }
      >
        {({ rules: shown, total }) => (
          <>
            <RuleTable rules={shown} onEdit={setEdited} />
            {total > shown.length && (
              <Text size="sm">
                {shown.length} of {total} rules. The command line lists all of them.
              </Text>
            )}
          </>
        )}
      </ListState>
      <Dialog
        opened={edited !== null}
        onClose={close}
        title={edited === 'new' || edited === null ? 'Add rule' : `Edit ${edited.name}`}
        size="lg"
      >
        <RuleForm
          key={edited === null || edited === 'new' ? 'new' : edited.id}
          rule={edited === 'new' ? null : edited}
          names={rules.data?.names ?? noNames}
          onClose={close}
        />
      </Dialog>
    </Stack>
  )
}

const noNames: RulesAnswer['names'] = []

function RuleTable({ rules, onEdit }: { rules: readonly RuleView[]; onEdit: (rule: RuleView) => void }) {
  const move = useChange('operator/move-rule', ['operator/rules', 'operator/audit'])
  return (
    <>
      <CallFault error={move.error} />
      <DataTable minWidth={900}>
        <thead>
          <tr>
            <th>Name</th>
            <th>Messages of</th>
            <th>Conditions</th>
            <th>Way</th>
            <th data-end>
              <span className="mantine-visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              places={placesOf(rules, rule)}
              isMoving={move.isPending}
              onMove={(beforeId) => move.mutate({ ruleId: rule.id, beforeId })}
              onEdit={() => onEdit(rule)}
            />
          ))}
        </tbody>
      </DataTable>
    </>
  )
}

/** The rule before which one stands a place earlier, and a place later (null: at the end); omitted where there is none. */
interface Places {
  earlier?: string
  later?: string | null
}

/** Only rules of one owner have an order among each other. */
function placesOf(rules: readonly RuleView[], { id, accountId }: RuleView): Places {
  const ofOwner = rules.filter((rule) => rule.accountId === accountId)
  const at = ofOwner.findIndex((rule) => rule.id === id)
  const earlier = ofOwner[at - 1]?.id
  return {
    ...(earlier !== undefined && { earlier }),
    ...(at < ofOwner.length - 1 && { later: ofOwner[at + 2]?.id ?? null }),
  }
}

function RuleRow(properties: {
  rule: RuleView
  places: Places
  isMoving: boolean
  onMove: (beforeId: string | null) => void
  onEdit: () => void
}) {
  const { rule, places, isMoving, onMove, onEdit } = properties
  const { earlier, later } = places
  const { name } = rule
  return (
    <tr>
      <td>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" ff="monospace">
          {rule.id}
        </Text>
      </td>
      <td>{rule.accountId === null ? 'all accounts' : (rule.accountName ?? rule.accountId)}</td>
      <td style={{ overflowWrap: 'anywhere' }}>{rule.conditions}</td>
      <td style={{ overflowWrap: 'anywhere' }}>{rule.way === null ? 'refuse' : <code>{rule.way}</code>}</td>
      <td data-end>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            disabled={earlier === undefined || isMoving}
            onClick={() => onMove(earlier ?? null)}
            aria-label={`Move ${name} up`}
          >
            Up
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            disabled={later === undefined || isMoving}
            onClick={() => onMove(later ?? null)}
            aria-label={`Move ${name} down`}
          >
            Down
          </Button>
          <Button size="compact-xs" variant="default" onClick={onEdit} aria-label={`Edit ${name}`}>
            Edit
          </Button>
          <RemoveRule rule={rule} />
        </Group>
      </td>
    </tr>
  )
}
