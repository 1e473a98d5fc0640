// The image of the network containers, built here so that it needs no registry: one static program of about 150 bytes
// that waits forever.
import type { TarEntry } from './tar.ts';

const LOAD_ADDRESS = 0x400000;
const ELF_HEADER = 64;
const PROGRAM_HEADER = 56;

interface Machine {
  /** `e_machine` of the ELF header. */
  readonly machine: number;
  readonly code: readonly number[];
}

const MACHINES: Readonly<Record<string, Machine>> = {
  // again: mov eax, 34 (pause); syscall; jmp again
  x86_64: { machine: 62, code: [0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7] },
  // aarch64 has no pause system call; ppoll(NULL, 0, NULL, NULL, 0) also waits forever. again: mov x0..x4, #0; mov x8,
  // #73 (ppoll); svc #0; b again
  aarch64: {
    machine: 183,
    code: [0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003, 0xd2800004, 0xd2800928, 0xd4000001, 0x17fffff9].flatMap(
      (word) => [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24],
    ),
  },
};

const OTHER_NAMES: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64' };

/**
 * The program for a processor, named as the engine or the kernel names it. Undefined for an unsupported processor.
 * @see https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
 */
export const pauseProgram = (architecture: string): Buffer | undefined => {
  const known = MACHINES[OTHER_NAMES[architecture] ?? architecture];
  if (!known) return undefined;
  const start = ELF_HEADER + PROGRAM_HEADER;
  const size = start + known.code.length;
  const file = Buffer.alloc(size);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(2, 16); // type: executable
  file.writeUInt16LE(known.machine, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(LOAD_ADDRESS + start), 24); // entry point
  file.writeBigUInt64LE(BigInt(ELF_HEADER), 32);
  file.writeUInt16LE(ELF_HEADER, 52);
  file.writeUInt16LE(PROGRAM_HEADER, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(1, ELF_HEADER); // type: a segment to load
  file.writeUInt32LE(5, ELF_HEADER + 4); // flags: readable and executable
  file.writeBigUInt64LE(BigInt(LOAD_ADDRESS), ELF_HEADER + 16);
  file.writeBigUInt64LE(BigInt(LOAD_ADDRESS), ELF_HEADER + 24);
  file.writeBigUInt64LE(BigInt(size), ELF_HEADER + 32);
  file.writeBigUInt64LE(BigInt(size), ELF_HEADER + 40);
  file.writeBigUInt64LE(0x10000n, ELF_HEADER + 48);
  file.set(known.code, start);
  return file;
};

/** Change this tag whenever the program or its start command changes. */
export const NETWORK_IMAGE = 'actorctl/pause:1';
export const NETWORK_IMAGE_CHANGES = 'ENTRYPOINT ["/pause"]';

export const networkImageFiles = (program: Uint8Array): readonly TarEntry[] => [
  { path: 'pause', mode: 0o555, source: { bytes: program } },
];
