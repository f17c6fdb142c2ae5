import type { FileHandle } from "node:fs/promises";

/** Usually one call: a disk may write only a part of the bytes; the next call then fails with the reason. */
export async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}
