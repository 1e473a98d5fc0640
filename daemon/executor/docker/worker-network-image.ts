// The image of the network containers, built here so that it needs no registry: one static program of about 150 bytes
// that waits forever.

import type { OwnImage } from '../images/import-image.ts';
import { type Processor, processorOf, staticProgram } from '../images/static-program.ts';

const CODE: Readonly<Record<Processor, readonly number[]>> = {
  // again: mov eax, 34 (pause); syscall; jmp again
  x86_64: [0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7],
  // aarch64 has no pause system call; ppoll(NULL, 0, NULL, NULL, 0) also waits forever. again: mov x0..x4, #0; mov x8,
  // #73 (ppoll); svc #0; b again
  aarch64: [0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003, 0xd2800004, 0xd2800928, 0xd4000001, 0x17fffff9].flatMap(
    (word) => [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24],
  ),
};

/**
 * The program for a processor, named as the engine or the kernel names it. Undefined for an unsupported processor.
 */
export const pauseProgram = (architecture: string): Buffer | undefined => {
  const processor = processorOf(architecture);
  return processor && staticProgram({ processor, content: Uint8Array.from(CODE[processor]) });
};

/** Change this tag whenever the program or its start command changes. */
export const NETWORK_IMAGE = 'actorctl/pause:1';

export const networkImage = (program: Uint8Array): OwnImage => ({
  name: NETWORK_IMAGE,
  changes: 'ENTRYPOINT ["/pause"]',
  files: [{ path: 'pause', mode: 0o555, source: { bytes: program } }],
});
