import type { FileHandle } from "node:fs/promises";

/** One call as a rule: a disk may take only part of it, and then says on the next call why. */
export async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}
