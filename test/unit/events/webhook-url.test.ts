// Which URLs a webhook may have, in every spelling of the address.
import { describe, expect, it } from 'vitest';
import { addressFault, privateFault } from '../../../daemon/domain/events/webhook-address.ts';
import { literalOf, webhookFault } from '../../../daemon/domain/events/webhook-url.ts';

describe('R134 a webhook', () => {
  it.each([
    'http://127.0.0.1:9000/hook',
    'https://example.org/a?b=c%20d',
    'http://localhost',
    'HTTP://10.0.0.7:8080/',
    'http://[::1]:9000/x',
    'http://[fd00::1]/',
    'http://bücher.example/',
    'http://169.254.example.org/',
    'http://example.org//a@b',
    'http://example.org/?to=//a@b',
    `http://example.org/${'x'.repeat(2_029)}`,
  ])('may be %j', (url) => {
    expect(webhookFault(url)).toBeUndefined();
  });

  it.each([
    '',
    ' ',
    'example.org/hook',
    '/hook',
    '//example.org',
    'http:',
    'http://',
    'http:///x',
    'http:example.org',
    'xhttp://example.org',
    'ftp://example.org',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://example.org',
    'http://user:pw@example.org/',
    'http://user@example.org/',
    'http://@example.org/',
    'http://example.org/#part',
    'http://example.org/a b',
    'http://example.org/\n',
    'ht\ttp://example.org/',
    'http://exa\u0000mple.org/',
    'http:\\\\example.org',
    'http://example.org:99999/',
    'http://[::1/',
    `http://example.org/${'x'.repeat(2_030)}`,
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[64:ff9b:1:a9fe:a9:fe00::]/',
    'http://[2001:0:a9fe:a9fe::1]/',
    'http://[2001::5601:5601]/',
    'http://[2606:4700::5efe:a9fe:a9fe]/',
    'http://[2606:4700::200:5efe:169.254.169.254]/',
    'http://[::ffff:0:169.254.169.254]/',
    'http://[2002:808:808::5efe:a9fe:a9fe]/',
    'http://[100::1]/',
    'http://[2001:db8::1]/',
    'http://192.0.2.1/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[::]/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://[fd00:42::42]/',
    'http://0.0.0.0:8722/',
    'http://0/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://100.100.100.200/',
    'http://metadata/',
    'http://metadata.goog/',
    'http://instance-data/',
    'http://instance-data.ec2.internal/',
    'http://metadata.google.internal/',
    'http://METADATA.google.internal./',
    'http://１６９.254.169.254/',
  ])('cannot be %j', (url) => {
    expect(webhookFault(url)).toMatch(/./);
  });

  it.each([
    '127.0.0.1',
    '192.168.1.1',
    '8.8.8.8',
    '::1',
    '2606:4700::1111',
    '2002:808:808::1',
    '2001:0:808:808::f7f7:f7f7',
    '64:ff9b::808:808',
    '64:ff9b:1::808:808',
    '2606:4700::5efe:808:808',
    '198.18.0.1',
  ])('may lead to %s', (address) => {
    expect(addressFault(address)).toBeUndefined();
  });

  it.each<[string, string[]]>([
    [
      'an address of a metadata service',
      [
        '100.100.100.200',
        '::ffff:100.100.100.200',
        '192.0.0.192',
        '168.63.129.16',
        'fd00:ec2::254',
        'fd00:ec2::254%eth0',
        'fd20:ce::254',
        'fd00:42::42',
      ],
    ],
    ['an unspecified address', ['0.0.0.0', '::', '::ffff:0.0.0.0']],
    ['a link-local address', ['169.254.0.1', 'fe80::1', 'fe80::1%eth0']],
    ['a site-local address', ['fec0::1', 'feff:ffff::1', 'fec0::1%eth0']],
    ['a multicast address', ['224.0.0.1', 'ff02::1']],
    ['a broadcast address', ['255.255.255.255']],
    [
      'a reserved address',
      [
        '192.0.2.1',
        '240.0.0.1',
        '2001:db8::1',
        '100::1',
        '2001:2::1',
        '2001:10::1',
        '2001:20::1',
        '2001:30::1',
        '5f00::1',
      ],
    ],
    ['not a valid address', ['', '1:2:3', 'localhost']],
  ])('cannot lead to %s', (fault, addresses) => {
    for (const address of addresses) expect(addressFault(address), address).toBe(fault);
  });

  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['[::1]', '::1'],
    ['1.2.3.4.example', undefined],
    ['v1.2.3.4', undefined],
    ['[::1].example', undefined],
    ['v[::1]', undefined],
  ])('the literal address of the host %s is %s', (host, literal) => {
    expect(literalOf(host)).toBe(literal);
  });
});

describe('C21 an address of this machine or of a private network', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.255',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '198.18.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fdff::1',
    '2002:7f00:1::1',
    '2002:c0a8:101::1',
    '2001:0:808:808::80ff:fffe',
    '2001:0:a00:1::f7f7:f7f7',
    '::10.0.0.1',
    '::ffff:0:192.168.0.1',
    '64:ff9b::192.168.0.1',
    '64:ff9b:1::10.0.0.1',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:172.16.0.1',
    '::ffff:100.64.0.1',
  ])('is %s', (address) => {
    expect(privateFault(address, [])).toMatch(/address/);
  });

  it.each([
    '8.8.8.8',
    '126.0.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
    '100.128.0.1',
    '2606:4700::1',
    '::ffff:8.8.8.8',
    '2002:808:808::1',
    '2606:4700::100:5efe:10.0.0.1',
    '2606:4700::1:5efe:10.0.0.1',
    '2606:4700::5dfe:10.0.0.1',
    '2606:4700::5eff:10.0.0.1',
    'localhost',
  ])('is not %s', (address) => {
    expect(privateFault(address, ['203.0.113.7', '2606:4700::7'])).toBeUndefined();
  });

  it.each([
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::808:808',
    '2002:808:808::1',
    '2606:4700::1',
    '2606:4700:0:0::1',
    '2606:4700::1%eth0',
  ])('R245 is %s if an interface has it', (address) => {
    expect(privateFault(address, [])).toBeUndefined();
    expect(privateFault(address, ['fe80::1%eth0', '8.8.8.8', '2606:4700::1'])).toBe('an address of this machine');
  });
});
