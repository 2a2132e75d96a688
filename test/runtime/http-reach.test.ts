import { expect, it } from "vitest";
import { isAddressAllowed } from "../../src/runtime/http-reach.ts";

it.each([
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:168.63.129.16",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
  "fe80::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "2001:db8::1",
  "fec0::1",
  "::127.0.0.1",
  "::7f00:1",
  "::10.0.0.1",
  "::808:808",
  "::ffff:0:127.0.0.1",
  "64:ff9b:1::7f00:1",
  "2606:4700::5efe:7f00:1",
  "2606:4700::200:5efe:10.0.0.1",
  "100::1",
  "5f00::1",
  "4000::1",
  "not an address",
])("%s is not public", (address) => {
  expect(isAddressAllowed(address, "public")).toBe(false);
});

it.each([
  "1.1.1.1",
  "93.184.216.34",
  "172.32.0.1",
  "2606:4700:4700::1111",
  "2606:4700::5efe:1.1.1.1",
  "::ffff:1.1.1.1",
])("%s is public and not loopback", (address) => {
  expect(isAddressAllowed(address, "public")).toBe(true);
  expect(isAddressAllowed(address, "loopback")).toBe(false);
});

it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])("%s is loopback", (address) => {
  expect(isAddressAllowed(address, "loopback")).toBe(true);
});

it.each(["0.0.0.0", "10.0.0.1", "169.254.169.254", "fe80::1"])("%s is not loopback", (address) => {
  expect(isAddressAllowed(address, "loopback")).toBe(false);
});
