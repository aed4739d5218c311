import { Button, Menu, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment, useEffect, useRef, useState } from 'react'
import { type MenuLine, type MenuProperties, narrow } from './menu-button.tsx'

/** Renders the menu of a `MenuButton`. It replaces the pressed button, takes its focus and opens immediately. */
export function OpenMenu({ label, description, size = 'xs', heading, sections }: MenuProperties) {
  const target = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    target.current?.focus()
    setOpened(true)
  }, [])
  return (
    <Menu
      position="bottom-end"
      // Next to its button, to be inside a landmark; fixed, so that scrolling lists do not clip it.
      withinPortal={false}
      floatingStrategy="fixed"
      withInitialFocusPlaceholder={false}
      opened={opened}
      onChange={setOpened}
      returnFocus
    >
      <Menu.Target>
        <Button {...narrow} ref={target} variant="default" size={size} aria-label={description}>
          <Text span inherit truncate>
            {label}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {heading === undefined ? null : <Menu.Label>{heading}</Menu.Label>}
        {sections.map((lines, index) => (
          <Fragment key={lines[0]?.label ?? index}>
            {index === 0 ? null : <Menu.Divider />}
            {lines.map((line, at) => (
              // Two accounts can have the same name.
              <Item key={at} of={line} />
            ))}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Item({ of }: { of: MenuLine }) {
  const color = of.color === undefined ? {} : { color: of.color }
  return 'to' in of ? (
    <Menu.Item component={Link} to={of.to} {...color}>
      {of.label}
    </Menu.Item>
  ) : (
    <Menu.Item onClick={of.run} {...color}>
      {of.label}
    </Menu.Item>
  )
}
