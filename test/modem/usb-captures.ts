import type { UsbDeviceFiles } from './made-up-machine.ts'

/** Devices as people captured them, with where they did. What a capture does not show is omitted. */

/**
 * A Huawei E3372s-153 with the firmware for sticks: udevadm and `ls /dev/serial/*` on Debian, morfikov.github.io,
 * "Zmiana nazwy interfejsu modemu ttyUSB0" (9 April 2016).
 */
export const stick: UsbDeviceFiles = {
  folder: 'devices/pci0000:00/0000:00:1d.0/usb2/2-1/2-1.3',
  vendorId: '12d1',
  productId: '15b6',
  maker: 'HUAWEI_MOBILE',
  product: 'HUAWEI_MOBILE',
  serial: '0123456789ABCDEF',
  ports: [0, 1].map((interfaceNumber) => ({
    tty: `ttyUSB${interfaceNumber}`,
    interfaceNumber,
    driver: 'option1',
    byId: `usb-HUAWEI_MOBILE_HUAWEI_MOBILE_0123456789ABCDEF-if0${interfaceNumber}-port0`,
    byPath: `pci-0000:00:1d.0-usb-0:1.3:1.${interfaceNumber}-port0`,
  })),
}

/** Two PL2303 in a hub, with one name for both: https://github.com/serialport/node-serialport/issues/829 */
export const twins: readonly UsbDeviceFiles[] = ['1.2', '1.5'].map((socket, index) => ({
  folder: `devices/platform/1c14000.usb/usb1/1-1/1-${socket}`,
  vendorId: '067b',
  productId: '2303',
  maker: 'Prolific Technology Inc.',
  product: 'USB-Serial Controller',
  ports: [
    {
      tty: `ttyUSB${index + 4}`,
      interfaceNumber: 0,
      driver: 'pl2303',
      byId: 'usb-Prolific_Technology_Inc._USB-Serial_Controller-if00-port0',
      byPath: `platform-1c14000.usb-usb-0:${socket}:1.0-port0`,
    },
  ],
}))

/** The folders of a port of cdc_acm: https://github.com/analogdevicesinc/PyTrinamic/issues/36, comment of 5 January 2021. */
export const motor: UsbDeviceFiles = {
  folder: 'devices/3530000.xhci/usb1/1-2/1-2.3',
  vendorId: '2a3c',
  productId: '0100',
  ports: [{ tty: 'ttyACM1', interfaceNumber: 0, driver: 'cdc_acm' }],
}

/**
 * A Quectel EC25: numbers of the manual's table (bacnh.com, "Quectel Linux USB drivers troubleshooting"), its interfaces
 * of the driver option, and the second links of newer versions of systemd (`-usbv2-`, https://github.com/systemd/systemd/pull/27483).
 */
export const module: UsbDeviceFiles = {
  folder: 'devices/pci0000:00/0000:00:14.0/usb1/1-7',
  vendorId: '2c7c',
  productId: '0125',
  maker: 'Quectel',
  product: 'EC25-E',
  ports: [0, 1, 2, 3].map((interfaceNumber) => ({
    tty: `ttyUSB${10 + interfaceNumber}`,
    interfaceNumber,
    driver: 'option1',
    byId: `usb-Quectel_EC25-E-if0${interfaceNumber}-port0`,
    byPath: [
      `pci-0000:00:14.0-usbv2-0:7:1.${interfaceNumber}-port0`,
      `pci-0000:00:14.0-usb-0:7:1.${interfaceNumber}-port0`,
    ],
  })),
}

/** A Huawei E3372h with HiLink, interfaces 020600, 0a0000 and 080650: a network card and a card reader, no port. */
export const webStick: UsbDeviceFiles = {
  folder: 'devices/platform/fc880000.usb/usb1/1-1',
  vendorId: '12d1',
  productId: '14dc',
  maker: 'HUAWEI_MOBILE',
  product: 'HUAWEI_MOBILE',
}
