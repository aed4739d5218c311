import { guidePath } from '../../process/guides.ts'
import type { KindFacts } from '../kind-facts.ts'

export const modemFacts: KindFacts = {
  kind: 'modem',
  label: 'GSM modem',
  portSetting: 'port',
  nodeSetting: 'node',
  carries: { maxParts: 10, alphanumericSender: false, encodingChoice: true },
  trial: 'Test modem',
  addedByOwners: 'never',
  notAdded:
    'A modem is a port of this server, so only the operator can add it. Give the operator the port, and the PIN of the SIM if it has one.',
  ownerSettings: [],
  usualSettings: ['port', 'baud', 'profile', 'smsc', 'country'],
  secretFields: {
    pin: {
      label: 'PIN of the SIM',
      hint: 'Stored encrypted and never shown again. It is tried once; set it again after the SIM refused it.',
    },
  },
  guide: guidePath('modems', 'when-something-is-wrong'),
  remedies: {
    connecting: 'The modem is being made ready, which takes some seconds after it was switched on.',
    port_missing: 'There is no such port. Plug the modem in, and use its path under /dev/serial/by-id, which stays the same.',
    port_denied: 'The server may not open the port. Add its user to the group of the port, usually dialout, and start it again.',
    port_in_use: 'Another program has the port open. Stop it, or keep it away from the modem: usually ModemManager.',
    port_probed: 'ModemManager takes lines out of the answers of modems that it probes. Keep it off: {onesixty} device discover --udev prints the rules for udev.',
    port_failed: 'The port cannot be used. Check the modem, its power and its cable, and for a terminal server address and port.',
    no_serialport: 'This installation cannot open serial ports: the optional package serialport is missing, or this is an executable of one file, which cannot load it. Install it, or use a port over TCP, such as that of ser2net on this machine.',
    no_answer: 'The port is open, but no modem answers AT. Check that it is the port for commands: many modems have several.',
    no_pdu_mode: 'The modem refuses PDU mode (AT+CMGF=0). Use another one of its ports.',
    other_modem: 'Another modem is at the port than the one that was added. Set imei again if that is intended.',
    no_sim: 'There is no SIM in the modem, or it has no contact.',
    sim_failed: 'The SIM does not work. Try it in a phone.',
    sim_busy: 'The SIM does not become ready. Switch the modem off and on.',
    sim_pin: 'The SIM requires its PIN. Set the secret pin, 4 to 8 digits.',
    sim_puk: 'The SIM is locked. Unlock it in a phone with its PUK, or ask the network.',
    sim_changed: 'Another SIM is in the modem than the one that was added; no PIN is tried on it. Set sim_mark again if that is intended.',
    pin_refused: 'The SIM refused the PIN, or did not confirm it. It is not tried again: check it, and set the secret pin again.',
    pin_last_try: 'The SIM has one try of its PIN left, which is not used. Unlock it in a phone, which restores three.',
    no_smsc: 'The SIM has no service centre, so nothing can be sent. Set smsc to the number that the network names.',
    not_registered: 'The modem is not in a network. Check signal, antenna and contract; a new SIM may take an hour.',
    sim_blocked: 'The network does not let this SIM send SMS. Check contract and credit with the network.',
    receives_nothing: 'The modem has no memory for messages, so received SMS and stored reports are lost. It sends. Use another modem to receive.',
    credit_low: 'The credit of the SIM is below ussd_low. Top it up; it is asked for again within ussd_hours.',
    storage_full: 'The memory for received messages is full of messages that cannot be read, so no further ones arrive. Delete them with another program.',
  },
} // prettier-ignore
