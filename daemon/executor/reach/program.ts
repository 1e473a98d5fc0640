// The program of the reach test, which runs in a container: a list of system calls, one after another, whatever each of
// them returns. It needs no image of a user and nothing of the image that it is in.
import type { Connection } from '../engine/connection.ts';
import { toExecutorError } from '../engine/engine-error.ts';
import { ensureImage } from '../images/import-image.ts';
import {
  CONTENT_ADDRESS,
  MEMORY_ADDRESS,
  type Processor,
  processorOf,
  staticProgram,
} from '../images/static-program.ts';
import { readField } from '../read-field.ts';

/** An argument: a number, or the address of a number, such as what an earlier call returned. */
type Argument = number | { readonly at: number };

const NUMBERS = {
  x86_64: { read: 0, write: 1, socket: 41, connect: 42, sendto: 44, openat: 257, exit_group: 231 },
  aarch64: { read: 63, write: 64, socket: 198, connect: 203, sendto: 206, openat: 56, exit_group: 94 },
} as const satisfies Record<Processor, Record<string, number>>;

type CallName = keyof (typeof NUMBERS)['x86_64'];

interface Call {
  readonly name: CallName;
  readonly args: readonly Argument[];
  /** Address that gets what the call returns. */
  readonly keepAt?: number;
}

const le32 = (value: number): number[] => [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];

/** Prefix and register number of the argument registers rdi, rsi, rdx, r10, r8, r9. */
const X86_ARGUMENTS = [
  [false, 7],
  [false, 6],
  [false, 2],
  [true, 2],
  [true, 0],
  [true, 1],
] as const;

/** mov register, number; mov register, [address] */
const x86Load = (isHigh: boolean, register: number, value: Argument): number[] =>
  typeof value === 'number'
    ? [isHigh ? 0x49 : 0x48, 0xc7, 0xc0 | register, ...le32(value)]
    : [isHigh ? 0x4c : 0x48, 0x8b, 0x04 | (register << 3), 0x25, ...le32(value.at)];

/** movz register, low half; movk register, high half */
const armMove = (register: number, value: number): number[] => [
  ...le32((0xd2800000 | ((value & 0xffff) << 5) | register) >>> 0),
  ...le32((0xf2a00000 | ((value >>> 16) << 5) | register) >>> 0),
];

const SCRATCH = 9;
const SYSTEM_CALL = 8;

const assemble = {
  x86_64: ({ name, args, keepAt }: Call): number[] => [
    ...args.flatMap((value, index) => {
      const [isHigh, register] = X86_ARGUMENTS[index] ?? [false, 0];
      return x86Load(isHigh, register, value);
    }),
    ...x86Load(false, 0, NUMBERS.x86_64[name]),
    ...[0x0f, 0x05], // syscall
    ...(keepAt === undefined ? [] : [0x48, 0x89, 0x04, 0x25, ...le32(keepAt)]), // mov [address], rax
  ],
  aarch64: ({ name, args, keepAt }: Call): number[] => [
    ...args.flatMap(
      (value, register) =>
        typeof value === 'number'
          ? armMove(register, value)
          : [...armMove(SCRATCH, value.at), ...le32((0xf9400000 | (SCRATCH << 5) | register) >>> 0)], // ldr
    ),
    ...armMove(SYSTEM_CALL, NUMBERS.aarch64[name]),
    ...le32(0xd4000001), // svc #0
    ...(keepAt === undefined ? [] : [...armMove(SCRATCH, keepAt), ...le32((0xf9000000 | (SCRATCH << 5)) >>> 0)]), // str x0
  ],
} as const;

/** What each step returned, in this order, as the program writes it to stderr. */
const STEPS = ['input', 'hosts', 'file', 'socket', 'api', 'request', 'sent', 'saved', 'connected', 'read'] as const;
export type Step = (typeof STEPS)[number];
const WORD = 8;
const stepAt = (step: Step): number => MEMORY_ADDRESS + STEPS.indexOf(step) * WORD;
const resultOf = (step: Step) => ({ at: stepAt(step) });

const ADDRESS = MEMORY_ADDRESS + 0x100;
const ADDRESS_BYTES = 16;
const REQUEST = MEMORY_ADDRESS + 0x200;
const REQUEST_BYTES = 0x800;
const BUFFER = MEMORY_ADDRESS + 0x1000;
const BUFFER_BYTES = 0x1000;
const MEMORY_BYTES = 0x3000;

export const INPUT_FILE = '/_reach';
const RESULT_SOCKET = '/_svc_results.sock';
const RESULT_FILE = '/_svc_result';
/** What the program sends to the socket and writes into the file. */
export const SENT = 'reached';

const CONSTANTS = [INPUT_FILE, RESULT_SOCKET, RESULT_FILE, '/etc/hosts', SENT] as const;
const UNIX = 1;
const IPV4 = 2;
const STREAM = 1;
const DATAGRAM = 2;
const WRITE_ONLY = 1;
/** MSG_NOSIGNAL: no SIGPIPE if the connection is closed. */
const NO_SIGNAL = 0x4000;
/** Reads of the response, which ends with the connection. */
const READS = 3;

/** The constants as text that ends with a zero, each after the two bytes of the family of a socket address. */
const constants = (): { readonly bytes: Buffer; readonly addressOf: (text: (typeof CONSTANTS)[number]) => number } => {
  let bytes = Buffer.alloc(0);
  const places = new Map<string, number>();
  for (const text of CONSTANTS) {
    places.set(text, CONTENT_ADDRESS + bytes.length + 2);
    bytes = Buffer.concat([bytes, Buffer.from([UNIX, 0]), Buffer.from(`${text}\0`)]);
  }
  // The instructions of aarch64 are at multiples of four.
  const padded = Buffer.alloc(Math.ceil(bytes.length / WORD) * WORD);
  bytes.copy(padded);
  return { bytes: padded, addressOf: (text) => places.get(text) ?? 0 };
};

const callsOf = (addressOf: (text: (typeof CONSTANTS)[number]) => number): readonly Call[] => {
  const report: Call = { name: 'write', args: [2, MEMORY_ADDRESS, STEPS.length * WORD] };
  const copy = (from: Step): readonly Call[] => [
    { name: 'read', args: [resultOf(from), BUFFER, BUFFER_BYTES], keepAt: stepAt('read') },
    { name: 'write', args: [1, BUFFER, resultOf('read')] },
  ];
  const open = (text: (typeof CONSTANTS)[number], step: Step, flags = 0): Call => ({
    name: 'openat',
    args: [0, addressOf(text), flags, 0],
    keepAt: stepAt(step),
  });
  return [
    open(INPUT_FILE, 'input'),
    { name: 'read', args: [resultOf('input'), ADDRESS, ADDRESS_BYTES] },
    { name: 'read', args: [resultOf('input'), REQUEST, REQUEST_BYTES], keepAt: stepAt('request') },
    open('/etc/hosts', 'hosts'),
    ...copy('hosts'),
    { name: 'socket', args: [UNIX, DATAGRAM, 0], keepAt: stepAt('socket') },
    {
      name: 'sendto',
      args: [
        ...[resultOf('socket'), addressOf(SENT), SENT.length, 0],
        ...[addressOf(RESULT_SOCKET) - 2, 2 + RESULT_SOCKET.length + 1],
      ],
      keepAt: stepAt('sent'),
    },
    open(RESULT_FILE, 'file', WRITE_ONLY),
    { name: 'write', args: [resultOf('file'), addressOf(SENT), SENT.length], keepAt: stepAt('saved') },
    // A connection to nowhere takes minutes.
    report,
    { name: 'socket', args: [IPV4, STREAM, 0], keepAt: stepAt('api') },
    { name: 'connect', args: [resultOf('api'), ADDRESS, ADDRESS_BYTES], keepAt: stepAt('connected') },
    { name: 'sendto', args: [resultOf('api'), REQUEST, resultOf('request'), NO_SIGNAL, 0, 0] },
    ...Array.from({ length: READS }, () => copy('api')).flat(),
    report,
    { name: 'exit_group', args: [0] },
  ];
};

/** The program for a processor, named as the engine or the kernel names it. Undefined for an unsupported processor. */
const reachProgram = (architecture: string): Buffer | undefined => {
  const processor = processorOf(architecture);
  if (processor === undefined) return undefined;
  const { bytes, addressOf } = constants();
  const code = callsOf(addressOf).flatMap(assemble[processor]);
  const content = Buffer.concat([bytes, Buffer.from(code)]);
  return staticProgram({ processor, content, entry: bytes.length, memoryBytes: MEMORY_BYTES });
};

/** Change this tag whenever the program changes. */
const REACH_IMAGE = 'actorctl/reach:1';

/**
 * Imports the image of the program if the engine does not have it, and returns its name. Undefined if there is no
 * program for the engine's processor.
 * @throws ExecutorError image, unavailable
 */
export const reachImage = async (connection: Connection): Promise<string | undefined> => {
  const program = reachProgram(String(readField(await connection.info(), 'Architecture') ?? ''));
  if (program === undefined) return undefined;
  const files = [{ path: 'reach', mode: 0o555, source: { bytes: program } }];
  try {
    await ensureImage(connection, { name: REACH_IMAGE, changes: 'ENTRYPOINT ["/reach"]', files });
    return REACH_IMAGE;
  } catch (error) {
    throw toExecutorError(error, 'image', 'cannot import the image of the reach test');
  }
};

/**
 * The input of the program.
 * @param to IPv4 address and port of the API; undefined to connect nowhere
 * @see `man 7 ip`, struct sockaddr_in
 */
export const reachInput = (to: { readonly address: string; readonly port: number } | undefined, request: string) => {
  const address = Buffer.alloc(ADDRESS_BYTES);
  if (to !== undefined) {
    address.writeUInt16LE(IPV4, 0);
    address.writeUInt16BE(to.port, 2);
    address.set(to.address.split('.').map(Number), 4);
  }
  return Buffer.concat([address, Buffer.from(request)]);
};

/** What each step returned, from the program's stderr: a number from 0, or the negative error number of Linux. */
export const stepsIn = (stderr: Uint8Array): Readonly<Partial<Record<Step, number>>> => {
  const size = STEPS.length * WORD;
  const begin = Math.floor(stderr.length / size) * size - size;
  if (begin < 0) return {};
  const last = Buffer.from(stderr).subarray(begin);
  return Object.fromEntries(STEPS.map((step, index) => [step, Number(last.readBigInt64LE(index * WORD))]));
};
