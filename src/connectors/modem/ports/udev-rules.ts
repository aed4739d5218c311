import type { FoundPort } from '../../connector-tools.ts'

const head = `# Keeps ModemManager off these modems: it probes ports and takes lines out of answers. Every filter policy of
# ModemManager heeds this tag since 1.12; the name of the file sorts it before 80-mm-candidate.rules.
# Copy to /etc/udev/rules.d/78-onesixty-modem.rules; udevadm control --reload; plug the modems in again.
# They are then of no use to NetworkManager as a data connection.
ACTION!="add|change|move|bind", GOTO="onesixty_modem_end"
`

/** Returns the text of a file of udev rules for the devices at these ports: one rule for each vendor and product. */
export function udevRules(ports: readonly Pick<FoundPort, 'usb'>[]): string {
  const rules = ports.flatMap(({ usb }) =>
    usb === null
      ? []
      : [
          `ATTRS{idVendor}=="${usb.vendorId}", ATTRS{idProduct}=="${usb.productId}", ENV{ID_MM_DEVICE_IGNORE}="1"\n`,
        ],
  )
  return `${head}${[...new Set(rules)].toSorted().join('')}LABEL="onesixty_modem_end"\n`
}
