// Builds programs for Linux without a compiler: an ELF file of machine code.

const LOAD_ADDRESS = 0x400000;
const ELF_HEADER = 64;
const PROGRAM_HEADER = 56;
const PAGE = 0x10000;
/** Segment flags. */
const READ = 4;
const WRITE = 2;
const EXECUTE = 1;

/** `e_machine` of the ELF header, by the processor's name in the kernel. */
const MACHINES = { x86_64: 62, aarch64: 183 } as const;

export type Processor = keyof typeof MACHINES;

const OTHER_NAMES: Readonly<Record<string, Processor>> = { amd64: 'x86_64', arm64: 'aarch64' };

/** The processor, named as the engine or the kernel names it. Undefined for an unsupported one. */
export const processorOf = (architecture: string): Processor | undefined =>
  OTHER_NAMES[architecture] ?? (['x86_64', 'aarch64'] as const).find((each) => each === architecture);

/** Address of the first byte of a program that has memory. */
export const CONTENT_ADDRESS = LOAD_ADDRESS + ELF_HEADER + 2 * PROGRAM_HEADER;
/** Address of the memory of a program that has some: zeros at its start. */
export const MEMORY_ADDRESS = LOAD_ADDRESS + PAGE;

/**
 * @param program.content machine code, which may begin with constants
 * @param program.entry offset of the first instruction in `content`
 * @param program.memoryBytes size of the memory that the program may write
 * @see https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
 */
export const staticProgram = (program: {
  readonly processor: Processor;
  readonly content: Uint8Array;
  readonly entry?: number;
  readonly memoryBytes?: number;
}): Buffer => {
  const { processor, content, entry = 0, memoryBytes = 0 } = program;
  const segments = memoryBytes > 0 ? 2 : 1;
  const start = ELF_HEADER + segments * PROGRAM_HEADER;
  const size = start + content.length;
  const file = Buffer.alloc(size);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(2, 16); // type: executable
  file.writeUInt16LE(MACHINES[processor], 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(LOAD_ADDRESS + start + entry), 24); // entry point
  file.writeBigUInt64LE(BigInt(ELF_HEADER), 32);
  file.writeUInt16LE(ELF_HEADER, 52);
  file.writeUInt16LE(PROGRAM_HEADER, 54);
  file.writeUInt16LE(segments, 56);
  const segment = (at: number, flags: number, address: number, fileBytes: number, bytes: number): void => {
    file.writeUInt32LE(1, at); // type: a segment to load
    file.writeUInt32LE(flags, at + 4);
    file.writeBigUInt64LE(BigInt(address), at + 16);
    file.writeBigUInt64LE(BigInt(address), at + 24);
    file.writeBigUInt64LE(BigInt(fileBytes), at + 32);
    file.writeBigUInt64LE(BigInt(bytes), at + 40);
    file.writeBigUInt64LE(BigInt(PAGE), at + 48);
  };
  segment(ELF_HEADER, READ + EXECUTE, LOAD_ADDRESS, size, size);
  if (segments === 2) segment(ELF_HEADER + PROGRAM_HEADER, READ + WRITE, MEMORY_ADDRESS, 0, memoryBytes);
  file.set(content, start);
  return file;
};
